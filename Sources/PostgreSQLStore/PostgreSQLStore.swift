#if PostgreSQL

    import CoreData
    import CPostgreSQL

    func version() -> Int32 { PQlibVersion() }

#endif
