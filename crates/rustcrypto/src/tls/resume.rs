//! Session resumption without preallocated tables: rustls' own caches take 32 KB at start.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::server::StoresServerSessions;
use rustls_pki_types::ServerName;

use super::verify::current_peer_is_accepted;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic while holding the lock leaves a valid list behind.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a client remembers of one server.
#[derive(Debug)]
struct Remembered {
    name: ServerName<'static>,
    group: Option<NamedGroup>,
    tls12: Option<Tls12ClientSessionValue>,
    tls13: Option<Tls13ClientSessionValue>,
}

/// A client's last sessions, one per server; the least recently used one makes room.
///
/// A session whose certificate failed verification is never stored: resumption skips the certificate.
#[derive(Debug)]
pub(crate) struct ClientCache {
    capacity: usize,
    servers: Mutex<VecDeque<Remembered>>,
}

impl ClientCache {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { capacity, servers: Mutex::default() }
    }

    /// Change what is remembered of `name`, which moves to the front.
    fn change(&self, name: ServerName<'static>, f: impl FnOnce(&mut Remembered)) {
        let mut servers = lock(&self.servers);
        let at = servers.iter().position(|known| known.name == name);
        let mut server =
            at.and_then(|at| servers.remove(at)).unwrap_or(Remembered { name, group: None, tls12: None, tls13: None });
        f(&mut server);
        servers.push_front(server);
        servers.truncate(self.capacity);
    }

    fn with<T>(&self, name: &ServerName<'_>, f: impl FnOnce(&mut Remembered) -> Option<T>) -> Option<T> {
        lock(&self.servers).iter_mut().find(|known| known.name == *name).and_then(f)
    }
}

impl ClientSessionStore for ClientCache {
    fn set_kx_hint(&self, name: ServerName<'static>, group: NamedGroup) {
        self.change(name, |server| server.group = Some(group));
    }

    fn kx_hint(&self, name: &ServerName<'_>) -> Option<NamedGroup> {
        self.with(name, |server| server.group)
    }

    fn set_tls12_session(&self, name: ServerName<'static>, value: Tls12ClientSessionValue) {
        if current_peer_is_accepted() {
            self.change(name, |server| server.tls12 = Some(value));
        }
    }

    fn tls12_session(&self, name: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.with(name, |server| server.tls12.clone())
    }

    fn remove_tls12_session(&self, name: &ServerName<'static>) {
        self.with(name, |server| server.tls12.take());
    }

    fn insert_tls13_ticket(&self, name: ServerName<'static>, value: Tls13ClientSessionValue) {
        if current_peer_is_accepted() {
            self.change(name, |server| server.tls13 = Some(value));
        }
    }

    fn take_tls13_ticket(&self, name: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.with(name, |server| server.tls13.take())
    }
}

/// A server's sessions for clients without tickets, oldest first.
#[derive(Debug)]
pub(crate) struct ServerCache {
    capacity: usize,
    sessions: Mutex<VecDeque<(Vec<u8>, Vec<u8>)>>,
}

impl ServerCache {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { capacity, sessions: Mutex::default() }
    }
}

impl StoresServerSessions for ServerCache {
    fn put(&self, key: Vec<u8>, value: Vec<u8>) -> bool {
        if self.capacity == 0 || !current_peer_is_accepted() {
            return false;
        }
        let mut sessions = lock(&self.sessions);
        sessions.retain(|(known, _)| *known != key);
        sessions.push_back((key, value));
        if sessions.len() > self.capacity {
            sessions.pop_front();
        }
        true
    }

    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        lock(&self.sessions).iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
    }

    fn take(&self, key: &[u8]) -> Option<Vec<u8>> {
        let mut sessions = lock(&self.sessions);
        let at = sessions.iter().position(|(known, _)| known == key)?;
        sessions.remove(at).map(|(_, value)| value)
    }

    fn can_cache(&self) -> bool {
        self.capacity > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> ServerName<'static> {
        ServerName::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn a_client_forgets_the_least_recent_server() {
        let cache = ClientCache::new(2);
        for server in ["a.example", "b.example", "a.example", "c.example"] {
            cache.set_kx_hint(name(server), NamedGroup::X25519);
        }
        assert!(cache.kx_hint(&name("a.example")).is_some());
        assert!(cache.kx_hint(&name("b.example")).is_none());
        assert!(cache.kx_hint(&name("c.example")).is_some());
    }

    #[test]
    fn a_server_keeps_as_many_as_it_may() {
        let cache = ServerCache::new(2);
        for key in 0..3 {
            assert!(cache.put(vec![key], vec![key; 4]));
        }
        assert_eq!(cache.get(&[0]), None);
        assert_eq!(cache.take(&[1]), Some(vec![1; 4]));
        assert_eq!(cache.take(&[1]), None);
        assert!(!ServerCache::new(0).put(vec![1], vec![1]));
    }
}
