"""The heroes' work with SQLAlchemy's objects, as the benchmark `postgresql` measures it beside ours.

    python3 heroes.py import|fetch|save URL [FILE]

Prints what a step of the benchmarks prints: seconds, processor time, largest memory in KB, count.
"""

import datetime
import json
import resource
import sys
import time

from sqlalchemy import BigInteger, Boolean, Column, DateTime, Float, ForeignKey, SmallInteger, Table, Text, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship, selectinload

BATCH = 5_000


class Base(DeclarativeBase):
    pass


hero_powers = Table(
    "hero_powers", Base.metadata,
    Column("hero", ForeignKey("hero.key"), primary_key=True),
    Column("power", ForeignKey("power.key"), primary_key=True, index=True))


class Publisher(Base):
    __tablename__ = "publisher"
    key: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    version: Mapped[int] = mapped_column(BigInteger)
    identifier: Mapped[int | None] = mapped_column(BigInteger)
    name: Mapped[str | None] = mapped_column(Text)
    founded: Mapped[int | None] = mapped_column(SmallInteger)
    __mapper_args__ = {"version_id_col": version}


class Power(Base):
    __tablename__ = "power"
    key: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    version: Mapped[int] = mapped_column(BigInteger)
    identifier: Mapped[int | None] = mapped_column(BigInteger)
    name: Mapped[str | None] = mapped_column(Text)
    __mapper_args__ = {"version_id_col": version}


class Hero(Base):
    __tablename__ = "hero"
    key: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    version: Mapped[int] = mapped_column(BigInteger)
    identifier: Mapped[int | None] = mapped_column(BigInteger)
    name: Mapped[str | None] = mapped_column(Text)
    real_name: Mapped[str | None] = mapped_column(Text)
    debut: Mapped[datetime.datetime | None] = mapped_column(DateTime(timezone=True))
    height: Mapped[float | None] = mapped_column(Float)
    is_retired: Mapped[bool | None] = mapped_column(Boolean)
    rating: Mapped[int | None] = mapped_column(SmallInteger)
    biography: Mapped[str | None] = mapped_column(Text)
    publisher_key: Mapped[int | None] = mapped_column(ForeignKey("publisher.key"), index=True)
    publisher: Mapped[Publisher | None] = relationship()
    powers: Mapped[set[Power]] = relationship(secondary=hero_powers)
    __mapper_args__ = {"version_id_col": version}


def known(session, cls, identifiers, *options):
    found = session.scalars(select(cls).where(cls.identifier.in_(identifiers)).options(*options))
    return {each.identifier: each for each in found}


def fill(obj, **values):
    """Sets what differs; returns whether anything did."""
    changed = False
    for name, value in values.items():
        if getattr(obj, name) != value:
            setattr(obj, name, value)
            changed = True
    return changed


def nested(session, cls, records, found, names):
    for record in records:
        identifier = int(record["id"])
        if identifier not in found:
            found[identifier] = cls(identifier=identifier)
            session.add(found[identifier])
        fill(found[identifier], **{name: record[name] for name in names})


def import_heroes(session, file):
    with open(file, encoding="utf-8") as stream:
        records = json.load(stream)
    changed = 0
    for start in range(0, len(records), BATCH):
        batch = records[start:start + BATCH]
        heroes = known(session, Hero, [int(each["id"]) for each in batch], selectinload(Hero.powers))
        publishers = known(session, Publisher, {int(each["publisher"]["id"]) for each in batch})
        powers = known(session, Power, {int(power["id"]) for each in batch for power in each["powers"]})
        nested(session, Publisher, (each["publisher"] for each in batch), publishers, ["name", "founded"])
        nested(session, Power, (power for each in batch for power in each["powers"]), powers, ["name"])
        for each in batch:
            identifier = int(each["id"])
            hero = heroes.get(identifier)
            if hero is None:
                hero = Hero(identifier=identifier)
                session.add(hero)
            differs = fill(
                hero, name=each["name"], real_name=each["real_name"],
                debut=datetime.datetime.fromisoformat(each["debut"].replace("Z", "+00:00")), height=each["height"],
                is_retired=each["retired"], rating=each["rating"], biography=each["biography"],
                publisher=publishers[int(each["publisher"]["id"])], powers={powers[int(power["id"])] for power in each["powers"]})
            changed += differs
        session.flush()
    session.commit()
    return changed


def fetch_heroes(session):
    count = 0
    for hero in session.scalars(select(Hero)).all():
        values = (hero.identifier, hero.name, hero.real_name, hero.debut, hero.height, hero.is_retired, hero.rating, hero.biography)
        count += values[0] is not None
    return count


def save_heroes(session):
    heroes = session.scalars(select(Hero).order_by(Hero.identifier).limit(1_000)).all()
    for hero in heroes:
        hero.rating = (hero.rating + 1) % 100
        session.commit()
    return len(heroes)


def main():
    step, url = sys.argv[1:3]
    schema = url.split("schema=")[1].split("&")[0]
    plain = url.replace(f"&schema={schema}", "").replace("postgresql://", "postgresql+psycopg://")
    engine = create_engine(plain, connect_args={"options": f"-csearch_path={schema}"})
    if step == "import":
        with engine.begin() as connection:
            connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            Base.metadata.create_all(connection)
    start, processor = time.monotonic(), time.process_time()
    with Session(engine, expire_on_commit=False) as session:
        if step == "import":
            count = import_heroes(session, sys.argv[3])
        elif step == "fetch":
            count = fetch_heroes(session)
        else:
            count = save_heroes(session)
    print(time.monotonic() - start, time.process_time() - processor, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, count)


main()
