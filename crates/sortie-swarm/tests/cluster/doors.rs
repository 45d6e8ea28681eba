//! TraceSpace to get in: passwords, tokens, keys, credentials, certificates.

use crate::server::{Folder, Server, has};
use crate::toy::{Adders, Sum};
use crate::{TASK, add, campaign, check, go_on, hasty, options};
use data_encoding::BASE64URL_NOPAD;
use nkeys::KeyPair;
use sortie_swarm::cluster::{ClusterError, ClusterOptions, Login, coordinate, status};
use std::process::{Command, Stdio};

fn works(cluster: &ClusterOptions) {
    let (outcome, sum) = campaign(cluster, &hasty(), &TASK);
    check(&outcome, &sum, &TASK);
}

#[test]
fn passwords_tokens_and_nkeys() {
    let Some(server) = Server::started(&["--user", "ann", "--pass", "secret"]) else {
        return;
    };
    let mut cluster = options(&server);
    let login = |password: &str| Login::Password {
        user: "ann".to_owned(),
        password: password.to_owned(),
    };
    cluster.login = login("secret");
    works(&cluster);
    cluster.login = login("guess");
    let refused = coordinate(&cluster, &hasty(), &mut Sum::new(&TASK), &mut go_on);
    assert!(
        matches!(refused, Err(ClusterError::Refused(_))),
        "{refused:?}"
    );
    let refused = add(&cluster, &Adders::plain());
    assert!(
        matches!(refused, Err(ClusterError::Refused(_))),
        "{refused:?}"
    );

    let folder = Folder::new();
    let key = KeyPair::new_user();
    let config = format!(
        "authorization {{ users: [ {{ nkey: {} }} ] }}",
        key.public_key()
    );
    let config = folder.file("nkey.conf", &config);
    let server = Server::started(&["-c", config.to_str().unwrap()]).unwrap();
    let mut cluster = options(&server);
    cluster.login = Login::Nkey(folder.file("user.nk", &format!("{}\n", key.seed().unwrap())));
    works(&cluster);

    let server = Server::started(&["--auth", "t0ken"]).unwrap();
    let mut cluster = options(&server);
    cluster.login = Login::Token("t0ken".to_owned());
    works(&cluster);
}

/// A claim signed the way nats-server wants it.
fn token(issuer: &KeyPair, subject: &KeyPair, claim: &str) -> String {
    let header = BASE64URL_NOPAD.encode(br#"{"typ":"JWT","alg":"ed25519-nkey"}"#);
    let claims = format!(
        r#"{{"jti":"1","iat":1700000000,"name":"test","iss":"{}","sub":"{}","nats":{claim}}}"#,
        issuer.public_key(),
        subject.public_key()
    );
    let signed = format!("{header}.{}", BASE64URL_NOPAD.encode(claims.as_bytes()));
    let signature = issuer.sign(signed.as_bytes()).unwrap();
    format!("{signed}.{}", BASE64URL_NOPAD.encode(&signature))
}

#[test]
fn credentials_files() {
    if !has("nats-server") {
        return;
    }
    let (operator, system, account) = (
        KeyPair::new_operator(),
        KeyPair::new_account(),
        KeyPair::new_account(),
    );
    let (user, stranger) = (KeyPair::new_user(), KeyPair::new_user());
    let limits = r#"{"subs":-1,"data":-1,"payload":-1,"imports":-1,"exports":-1,"wildcards":true,"conn":-1,"leaf":-1,
        "mem_storage":-1,"disk_storage":-1,"streams":-1,"consumer":-1}"#;
    let account_claim = format!(r#"{{"type":"account","version":2,"limits":{limits}}}"#);
    let system_claim =
        r#"{"type":"account","version":2,"limits":{"subs":-1,"conn":-1,"data":-1,"payload":-1}}"#;
    let user_claim = r#"{"type":"user","version":2,"subs":-1,"data":-1,"payload":-1}"#;
    let folder = Folder::new();
    let config = format!(
        "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{ {}: {}\n {}: {} }}\n",
        token(&operator, &operator, r#"{"type":"operator","version":2}"#),
        system.public_key(),
        account.public_key(),
        token(&operator, &account, &account_claim),
        system.public_key(),
        token(&operator, &system, system_claim),
    );
    let config = folder.file("operator.conf", &config);
    let server = Server::started(&["-c", config.to_str().unwrap()]).unwrap();
    let credentials = |issuer: &KeyPair, user: &KeyPair, name: &str| {
        let text = format!(
            "-----BEGIN NATS USER JWT-----\n{}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
            token(issuer, user, user_claim),
            user.seed().unwrap()
        );
        Login::Credentials(folder.file(name, &text))
    };
    let mut cluster = options(&server);
    cluster.login = credentials(&account, &user, "user.creds");
    works(&cluster);
    cluster.login = credentials(&KeyPair::new_account(), &stranger, "stranger.creds");
    let refused = status(&cluster);
    assert!(
        matches!(refused, Err(ClusterError::Refused(_))),
        "{refused:?}"
    );
}

/// Makes a certificate with `openssl`, signed by `authority` or by itself.
fn certificate(folder: &Folder, name: &str, authority: Option<&str>) {
    let file = |name: &str, ending: &str| folder.0.join(format!("{name}.{ending}"));
    let mut openssl = Command::new("openssl");
    openssl
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
        ])
        .args(["-days", "2", "-subj", &format!("/CN={name}"), "-keyout"])
        .arg(file(name, "key"))
        .arg("-out")
        .arg(file(name, "pem"));
    if let Some(authority) = authority {
        openssl
            .arg("-CA")
            .arg(file(authority, "pem"))
            .arg("-CAkey")
            .arg(file(authority, "key"));
        openssl.args([
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
        ]);
    }
    let made = openssl
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(made.success(), "openssl makes no certificate");
}

#[test]
fn certificates_of_both_sides() {
    if !has("nats-server") || !has("openssl") {
        return;
    }
    let folder = Folder::new();
    certificate(&folder, "authority", None);
    certificate(&folder, "server", Some("authority"));
    certificate(&folder, "client", Some("authority"));
    let file = |name: &str| folder.0.join(name);
    let text = |name: &str| file(name).to_str().unwrap().to_owned();
    let server = Server::started(&[
        "--tlsverify",
        "--tlscert",
        &text("server.pem"),
        "--tlskey",
        &text("server.key"),
        "--tlscacert",
        &text("authority.pem"),
    ])
    .unwrap();
    let mut cluster = options(&server);
    cluster.tls.required = true;
    cluster.tls.authority = Some(file("authority.pem"));
    cluster.tls.client = Some((file("client.pem"), file("client.key")));
    works(&cluster);

    // Who does not know the server's authority does not talk to it; the server talks to nobody without a certificate.
    let mut trusting_nobody = cluster.clone();
    trusting_nobody.tls.authority = None;
    let refused = add(&trusting_nobody, &Adders::plain());
    assert!(
        matches!(refused, Err(ClusterError::Refused(_))),
        "{refused:?}"
    );
    cluster.tls.client = None;
    assert!(status(&cluster).is_err());

    // A server without TLS is not talked to when TLS is required.
    let plain = Server::started(&[]).unwrap();
    let mut cluster = options(&plain);
    cluster.tls.required = true;
    assert!(status(&cluster).is_err());
}
