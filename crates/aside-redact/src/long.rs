//! Secrets in long text, or among many words that may begin one: nothing may stay because a window ends.

use crate::redact;

/// Letters and digits that look random, and are the same in each run.
fn random(seed: u64, length: usize) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(LETTERS[usize::try_from(state >> 33).unwrap() % LETTERS.len()])
    };
    (0..length).map(|_| next()).collect()
}

fn left(text: &str, secrets: &[String]) -> usize {
    let clean = redact(text);
    secrets.iter().filter(|secret| clean.contains(secret.as_str())).count()
}

#[test]
fn a_key_goes_whole_whatever_stands_before_it() {
    for lines in [50, 1500] {
        let body: Vec<String> = (0..lines).map(|line| random(line, 64)).collect();
        let inside = body.join("\n");
        let keys = [
            format!("-----BEGIN RSA PRIVATE KEY-----\n{inside}\n-----END RSA PRIVATE KEY-----\n"),
            format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{inside}\n"),
            format!("PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: {lines}\n{inside}\nPrivate-MAC: 00\n"),
            format!("MIIEpAIBAAKCAQEA{inside}\n"),
        ];
        for key in keys {
            for before in ["recovery codes are shown once\n", "pass key token auth pin\n", "kind: Secret\n"] {
                let text = before.repeat(3000) + &key;
                assert_eq!(left(&text, &body), 0, "{before:?} {lines} {:?}", &key[..30]);
            }
        }
    }
}

#[test]
fn a_table_of_many_names_and_rows_goes_whole() {
    let names = ('a'..='z').map(|name| format!("{name}key,token,pin,auth,seed")).collect::<Vec<_>>().join(",");
    for (head, columns) in [
        ("email,password,city", 3),
        (
            "key,token,pin,auth,bearer,seed,salt,pw,key2,token2,secret,apikey,mdp,psk,pwd,creds,access,login,password",
            19,
        ),
        (&names, 130),
    ] {
        for rows in [5, 300, 2000 / columns] {
            let values: Vec<String> = (0..rows).map(|row| random(row as u64 + 7, 12) + "7k").collect();
            let title = head.split(',').position(|name| name.contains("passw")).unwrap_or(1);
            let row = |value: &String| {
                let cell = |column| if column == title { value.as_str() } else { "a" };
                (0..columns).map(cell).collect::<Vec<_>>().join(",")
            };
            let table = values.iter().map(row).collect::<Vec<_>>().join("\n");
            let text = format!("{}\n{head}\n{table}\n\n{}", "plain words\n".repeat(300), "plain words\n".repeat(300));
            assert_eq!(left(&text, &values), 0, "{columns} columns, {rows} rows");
        }
    }
}

#[test]
fn an_insert_of_many_names_and_rows_goes_whole() {
    for rows in [30, 1000] {
        let values: Vec<String> = (0..rows).map(|row| random(row + 3, 12)).collect();
        let row = |value: &String| format!("(1,'bob@example.com','x','y','z','w','{value}','v')");
        let rows = values.iter().map(row).collect::<Vec<_>>().join(",\n");
        let head = "INSERT INTO users (id,email,password_key,token,api_key,auth,password,pin) VALUES\n";
        let text = format!("{}{head}{rows};\n{}", "plain words\n".repeat(300), "plain words\n".repeat(300));
        assert_eq!(left(&text, &values), 0);
    }
}

#[test]
fn a_command_far_into_its_line_is_read() {
    for count in [100, 150, 170, 190, 540, 1000, 4000] {
        for shift in 0..8 {
            let words = "pass key token ".repeat(count) + &"x".repeat(shift);
            let text = format!("echo {words} ; mysql -u root -pkittenharbor shop");
            assert!(!redact(&text).contains("kittenharbor"), "{count} {shift}");
        }
    }
}
