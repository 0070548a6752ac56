// The limit that imports are measured against: the heroes of a file into a store of theirs, by simdjson and prepared statements on SQLite,
// in one thread. It knows the one file and the one model, and does what an import has to: each object is looked up by its identity, made
// or compared, changed where it differs, and linked; keys, entities and versions are kept as Core Data keeps them. The store is there,
// with its tables and indexes.
//
//     limit heroes.json heroes.sqlite         prints seconds, seconds of the processor, KB at most, heroes made and changed

#include <simdjson.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

using namespace simdjson;

struct Database {
    sqlite3 *handle = nullptr;

    explicit Database(const char *path) {
        if (sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr)) throw error();
        // The settings of the library's connections.
        run("PRAGMA journal_mode = WAL");
        run("PRAGMA synchronous = NORMAL");
        run("PRAGMA cache_size = -32768");
        run("PRAGMA wal_autocheckpoint = 4000");
    }
    ~Database() { sqlite3_close(handle); }
    std::runtime_error error() const { return std::runtime_error(sqlite3_errmsg(handle)); }
    void run(const char *sql) {
        if (sqlite3_exec(handle, sql, nullptr, nullptr, nullptr)) throw error();
    }
};

struct Statement {
    Database &database;
    sqlite3_stmt *handle = nullptr;

    Statement(Database &database, const std::string &sql) : database(database) {
        if (sqlite3_prepare_v2(database.handle, sql.c_str(), -1, &handle, nullptr)) throw database.error();
    }
    ~Statement() { sqlite3_finalize(handle); }
    void bind(int at, int64_t value) { sqlite3_bind_int64(handle, at, value); }
    void bind(int at, double value) { sqlite3_bind_double(handle, at, value); }
    void bind(int at, std::string_view value) {
        sqlite3_bind_text(handle, at, value.data(), int(value.size()), SQLITE_STATIC);
    }
    bool step() {
        int code = sqlite3_step(handle);
        if (code == SQLITE_ROW) return true;
        if (code != SQLITE_DONE) throw database.error();
        sqlite3_reset(handle);
        return false;
    }
    int64_t integer(int column) { return sqlite3_column_int64(handle, column); }
    double real(int column) { return sqlite3_column_double(handle, column); }
    std::string_view text(int column) {
        auto start = reinterpret_cast<const char *>(sqlite3_column_text(handle, column));
        return {start, size_t(sqlite3_column_bytes(handle, column))};
    }
};

static int64_t number(std::string_view text) {
    int64_t value = 0;
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size()) throw std::runtime_error("not a number: " + std::string(text));
    return value;
}

// 1939-03-22T10:30:00Z, in seconds since 2001.
static double date(std::string_view text) {
    auto part = [&](int at, int count) { return number(text.substr(at, count)); };
    if (text.size() != 20 || text[19] != 'Z') throw std::runtime_error("not a date: " + std::string(text));
    int64_t year = part(0, 4), month = part(5, 2), day = part(8, 2);
    // Days since March 1 of the year 0, less those to January 1, 2001.
    int64_t y = year - (month <= 2), m = (month + 9) % 12;
    int64_t days = y * 365 + y / 4 - y / 100 + y / 400 + (m * 306 + 5) / 10 + day - 1 - 730791;
    return double(days * 86400 + part(11, 2) * 3600 + part(14, 2) * 60 + part(17, 2));
}

struct Hero {
    int64_t id, retired, rating, publisher;
    std::string_view name, realName, biography;
    double debut, height;
    std::vector<int64_t> powers;
};

// What publishers and powers have in common: few of them, each named by many heroes.
struct Named {
    int64_t key;
    std::string name;
    int64_t founded;
};

class Import {
    Database &database;
    std::unordered_map<int64_t, int64_t> heroes;
    std::unordered_map<int64_t, Named> publishers, powers;
    std::vector<int64_t> links;
    int64_t heroKey, publisherKey, powerKey;
    Statement insertHero, findHero, updateHero, insertPublisher, updatePublisher, insertPower, updatePower, insertLink, findLinks, deleteLinks;

    int64_t query(const std::string &sql) {
        Statement statement(database, sql);
        return statement.step() ? statement.integer(0) : 0;
    }
    std::string entity(const char *name) {
        return std::to_string(query(std::string("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '") + name + "'"));
    }
    int64_t largestKey(const char *name) {
        return query(std::string("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = '") + name + "'");
    }

public:
    int count = 0;

    explicit Import(Database &database)
        : database(database), heroKey(largestKey("Hero")), publisherKey(largestKey("Publisher")), powerKey(largestKey("Power")),
          insertHero(database, "INSERT INTO ZHERO (Z_PK, Z_ENT, Z_OPT, ZIDENTIFIER, ZNAME, ZREALNAME, ZDEBUT, ZHEIGHT, ZISRETIRED, "
                               "ZRATING, ZBIOGRAPHY, ZPUBLISHER) VALUES (?, " + entity("Hero") + ", 1, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
          findHero(database, "SELECT ZIDENTIFIER, ZNAME, ZREALNAME, ZDEBUT, ZHEIGHT, ZISRETIRED, ZRATING, ZBIOGRAPHY, ZPUBLISHER "
                             "FROM ZHERO WHERE Z_PK = ?"),
          updateHero(database, "UPDATE ZHERO SET ZIDENTIFIER = ?2, ZNAME = ?3, ZREALNAME = ?4, ZDEBUT = ?5, ZHEIGHT = ?6, ZISRETIRED = ?7, "
                               "ZRATING = ?8, ZBIOGRAPHY = ?9, ZPUBLISHER = ?10, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1"),
          insertPublisher(database, "INSERT INTO ZPUBLISHER (Z_PK, Z_ENT, Z_OPT, ZIDENTIFIER, ZNAME, ZFOUNDED) VALUES (?, " +
                                        entity("Publisher") + ", 1, ?, ?, ?)"),
          updatePublisher(database, "UPDATE ZPUBLISHER SET ZNAME = ?2, ZFOUNDED = ?3, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1"),
          insertPower(database, "INSERT INTO ZPOWER (Z_PK, Z_ENT, Z_OPT, ZIDENTIFIER, ZNAME) VALUES (?, " + entity("Power") + ", 1, ?, ?)"),
          updatePower(database, "UPDATE ZPOWER SET ZNAME = ?2, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1"),
          insertLink(database, "INSERT INTO Z_1POWERS (Z_1HEROES, Z_2POWERS) VALUES (?, ?)"),
          findLinks(database, "SELECT Z_2POWERS FROM Z_1POWERS WHERE Z_1HEROES = ? ORDER BY 1"),
          deleteLinks(database, "DELETE FROM Z_1POWERS WHERE Z_1HEROES = ?") {
        Statement stored(database, "SELECT ZIDENTIFIER, Z_PK FROM ZHERO");
        while (stored.step()) heroes[stored.integer(0)] = stored.integer(1);
        Statement storedPublishers(database, "SELECT ZIDENTIFIER, Z_PK, ZNAME, ZFOUNDED FROM ZPUBLISHER");
        while (storedPublishers.step())
            publishers[storedPublishers.integer(0)] = {
                storedPublishers.integer(1), std::string(storedPublishers.text(2)), storedPublishers.integer(3)};
        Statement storedPowers(database, "SELECT ZIDENTIFIER, Z_PK, ZNAME FROM ZPOWER");
        while (storedPowers.step())
            powers[storedPowers.integer(0)] = {storedPowers.integer(1), std::string(storedPowers.text(2)), 0};
    }

    int64_t publisher(ondemand::object json) {
        int64_t id = 0, founded = 0;
        std::string_view name;
        for (auto field : json) {
            std::string_view key = field.unescaped_key();
            if (key == "id") id = number(field.value().get_string());
            else if (key == "name") name = field.value().get_string();
            else if (key == "founded") founded = field.value().get_int64();
        }
        auto [found, isNew] = publishers.try_emplace(id);
        Named &known = found->second;
        if (!isNew && known.name == name && known.founded == founded) return known.key;
        if (isNew) known.key = ++publisherKey;
        known.name = name, known.founded = founded;
        Statement &statement = isNew ? insertPublisher : updatePublisher;
        int at = 0;
        statement.bind(++at, known.key);
        if (isNew) statement.bind(++at, id);
        statement.bind(++at, name), statement.bind(++at, founded);
        statement.step();
        return known.key;
    }

    int64_t power(ondemand::object json) {
        int64_t id = 0;
        std::string_view name;
        for (auto field : json) {
            std::string_view key = field.unescaped_key();
            if (key == "id") id = number(field.value().get_string());
            else if (key == "name") name = field.value().get_string();
        }
        auto [found, isNew] = powers.try_emplace(id);
        Named &known = found->second;
        if (!isNew && known.name == name) return known.key;
        if (isNew) known.key = ++powerKey;
        known.name = name;
        Statement &statement = isNew ? insertPower : updatePower;
        int at = 0;
        statement.bind(++at, known.key);
        if (isNew) statement.bind(++at, id);
        statement.bind(++at, name);
        statement.step();
        return known.key;
    }

    void read(ondemand::object json, Hero &hero) {
        hero.powers.clear();
        for (auto field : json) {
            std::string_view key = field.unescaped_key();
            if (key == "id") hero.id = number(field.value().get_string());
            else if (key == "name") hero.name = field.value().get_string();
            else if (key == "real_name") hero.realName = field.value().get_string();
            else if (key == "debut") hero.debut = date(field.value().get_string());
            else if (key == "height") hero.height = field.value().get_double();
            else if (key == "retired") hero.retired = bool(field.value().get_bool());
            else if (key == "rating") hero.rating = field.value().get_int64();
            else if (key == "biography") hero.biography = field.value().get_string();
            else if (key == "publisher") hero.publisher = publisher(field.value().get_object());
            else if (key == "powers")
                for (auto element : field.value().get_array()) hero.powers.push_back(power(element.get_object()));
        }
        std::sort(hero.powers.begin(), hero.powers.end());
        hero.powers.erase(std::unique(hero.powers.begin(), hero.powers.end()), hero.powers.end());
    }

    bool isSame(const Hero &hero, int64_t key) {
        findHero.bind(1, key);
        findHero.step();
        bool isSame = findHero.integer(0) == hero.id && findHero.text(1) == hero.name && findHero.text(2) == hero.realName &&
                      findHero.real(3) == hero.debut && findHero.real(4) == hero.height && findHero.integer(5) == hero.retired &&
                      findHero.integer(6) == hero.rating && findHero.text(7) == hero.biography && findHero.integer(8) == hero.publisher;
        sqlite3_reset(findHero.handle);
        return isSame;
    }

    bool hasSameLinks(const Hero &hero, int64_t key) {
        links.clear();
        findLinks.bind(1, key);
        while (findLinks.step()) links.push_back(findLinks.integer(0));
        return links == hero.powers;
    }

    void write(const Hero &hero) {
        auto [found, isNew] = heroes.try_emplace(hero.id, heroKey + 1);
        int64_t key = found->second;
        if (isNew) heroKey = key;
        bool areLinked = !isNew && hasSameLinks(hero, key);
        if (areLinked && isSame(hero, key)) return;
        count += 1;
        Statement &statement = isNew ? insertHero : updateHero;
        statement.bind(1, key), statement.bind(2, hero.id), statement.bind(3, hero.name), statement.bind(4, hero.realName);
        statement.bind(5, hero.debut), statement.bind(6, hero.height), statement.bind(7, hero.retired);
        statement.bind(8, hero.rating), statement.bind(9, hero.biography), statement.bind(10, hero.publisher);
        statement.step();
        if (areLinked) return;
        if (!isNew) deleteLinks.bind(1, key), deleteLinks.step();
        for (int64_t power : hero.powers) insertLink.bind(1, key), insertLink.bind(2, power), insertLink.step();
    }

    void finish() {
        for (auto [name, key] : {std::pair("Hero", heroKey), {"Publisher", publisherKey}, {"Power", powerKey}}) {
            Statement raise(database, "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_NAME = ?");
            raise.bind(1, key), raise.bind(2, std::string_view(name)), raise.step();
        }
    }
};

static double now(clockid_t clock) {
    timespec time;
    clock_gettime(clock, &time);
    return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
}

int main(int count, char **arguments) {
    if (count != 3) return fprintf(stderr, "limit heroes.json heroes.sqlite\n"), 64;
    try {
        Database database(arguments[2]);
        double start = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
        database.run("BEGIN IMMEDIATE");
        Import import(database);
        padded_string text = padded_string::load(arguments[1]);
        ondemand::parser parser;
        ondemand::document document = parser.iterate(text);
        Hero hero;
        for (auto element : document.get_array()) {
            import.read(element.get_object(), hero);
            import.write(hero);
        }
        import.finish();
        database.run("COMMIT");
        double seconds = now(CLOCK_MONOTONIC) - start;
        processor = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
        rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        printf("%f %f %ld %d\n", seconds, processor, usage.ru_maxrss, import.count);
    } catch (const std::exception &error) {
        return fprintf(stderr, "limit: %s\n", error.what()), 1;
    }
}
