// The tests of the store in PostgreSQL; none yet.
