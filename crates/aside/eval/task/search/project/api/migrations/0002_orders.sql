CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY,
    berth TEXT NOT NULL,
    total REAL NOT NULL
);
CREATE INDEX orders_berth ON orders (berth);
