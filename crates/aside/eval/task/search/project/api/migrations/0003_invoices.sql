CREATE TABLE invoices (
    id INTEGER PRIMARY KEY,
    order_id INTEGER REFERENCES orders (id),
    sent_at TEXT
);
