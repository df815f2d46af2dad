#!/usr/bin/env bash
# Makes the certificates of the TLS tests anew with OpenSSL, in this folder. Tests fix the time to 2030-01-01, so what is
# committed stays good; run this only to add a case. Needs openssl 3.
set -euo pipefail
cd "$(dirname "$0")"
rm -f ./*.pem ./*.key ./*.der
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

ec() { openssl genpkey -algorithm EC -pkeyopt "ec_paramgen_curve:$1" -out "$2"; }
# One CA database per issuer, so that `openssl ca` can set any dates and write CRLs.
authority() { # NAME SUBJECT KEY
    mkdir -p "$work/$1"; : > "$work/$1/index"; echo 1000 > "$work/$1/serial"; echo 01 > "$work/$1/crlnumber"
    cat > "$work/$1/cnf" <<CNF
[ca]
default_ca = this
[this]
dir = $work/$1
database = $work/$1/index
serial = $work/$1/serial
crlnumber = $work/$1/crlnumber
new_certs_dir = $work/$1
certificate = $1.pem
private_key = $1.key
default_md = sha256
policy = any
unique_subject = no
copy_extensions = none
[any]
commonName = supplied
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
[intermediate]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
[nosign]
basicConstraints = critical, CA:TRUE
keyUsage = critical, digitalSignature
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:test.example, DNS:*.wild.example, IP:127.0.0.1, IP:::1
[client]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth
[other]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:other.example
[badku]
basicConstraints = critical, CA:FALSE
keyUsage = critical, keyAgreement
extendedKeyUsage = serverAuth
subjectAltName = DNS:test.example
[caleaf]
basicConstraints = critical, CA:TRUE
subjectAltName = DNS:test.example
[nosan]
basicConstraints = critical, CA:FALSE
[critical]
basicConstraints = critical, CA:FALSE
subjectAltName = DNS:test.example
1.3.6.1.4.1.55555.1 = critical, ASN1:NULL
CNF
}
from=20250101000000Z; to=20450101000000Z
# issue CA PROFILE NAME KEY SUBJECT [START END] [extra openssl ca options]
issue() {
    local ca=$1 profile=$2 name=$3 key=$4 subject=$5 start=${6:-$from} end=${7:-$to}; shift $(( $# < 7 ? $# : 7 ))
    openssl req -new -key "$key" -subj "$subject" -out "$work/csr"
    openssl ca -batch -notext -config "$work/$ca/cnf" -extensions "$profile" -startdate "$start" -enddate "$end" \
        -in "$work/csr" -out "$name.pem" "$@" 2> "$work/log" || { cat "$work/log"; exit 1; }
}
self() { # NAME SUBJECT: a self-signed authority
    ec P-256 "$1.key"; authority "$1"
    openssl req -new -key "$1.key" -subj "$2" -out "$work/csr"
    openssl ca -batch -notext -selfsign -config "$work/$1/cnf" -extensions root -startdate $from -enddate $to \
        -keyfile "$1.key" -in "$work/csr" -out "$1.pem" 2> "$work/log" || { cat "$work/log"; exit 1; }
}
self root "/CN=Test Root"
self twin "/CN=Test Root"     # another root with the same subject
self stranger "/CN=Unknown Root"

ec P-256 sub.key; issue root intermediate sub sub.key "/CN=Test Intermediate"; authority sub
issue stranger intermediate cross sub.key "/CN=Test Intermediate"   # the same intermediate, signed by another root
ec P-256 nosign.key; issue root nosign nosign nosign.key "/CN=Test Not An Issuer"; authority nosign

ec P-256 p256.key; ec P-384 p384.key; ec P-521 p521.key
openssl genpkey -algorithm ed25519 -out ed25519.key
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out rsa.key 2>/dev/null
for kind in p256 p384 p521 ed25519 rsa; do issue root server "$kind" $kind.key "/CN=test.example"; done
issue sub server chained p256.key "/CN=test.example"
cat chained.pem sub.pem > chain.pem; cat chained.pem cross.pem > crosschain.pem; rm chained.pem
issue nosign server unsigned p256.key "/CN=test.example"; cat unsigned.pem nosign.pem > nosignchain.pem; rm unsigned.pem
issue root server expired p256.key "/CN=test.example" 20240101000000Z 20250601000000Z
issue root server early p256.key "/CN=test.example" 20400101000000Z 20450101000000Z
issue root other wrongname p256.key "/CN=test.example"
issue root nosan nosan p256.key "/CN=test.example"
issue stranger server unknown p256.key "/CN=test.example"
issue root server revoked p256.key "/CN=test.example"
issue root client wrongeku p256.key "/CN=test.example"
issue root badku badku p256.key "/CN=test.example"
issue root caleaf caleaf p256.key "/CN=test.example"
issue root critical critical p256.key "/CN=test.example"
issue root server sha1 p256.key "/CN=test.example" $from $to -md sha1
issue root client client p256.key "/CN=Test Client"
issue stranger client strangeclient p256.key "/CN=Unknown Client"
openssl req -x509 -new -key p256.key -subj "/CN=test.example" -days 7000 -addext subjectAltName=DNS:test.example -out selfsigned.pem
openssl req -new -key p256.key -subj "/CN=test.example" -out "$work/csr"
openssl x509 -req -in "$work/csr" -CA root.pem -CAkey root.key -set_serial 77 -days 7000 -out v1.pem 2>/dev/null
openssl ca -config "$work/root/cnf" -revoke revoked.pem 2>/dev/null
openssl ca -config "$work/root/cnf" -gencrl -crl_lastupdate $from -crl_nextupdate $to -out crl.pem 2>/dev/null
openssl ca -config "$work/root/cnf" -gencrl -crl_lastupdate 20240101000000Z -crl_nextupdate 20240201000000Z -out oldcrl.pem 2>/dev/null
cat twin.pem stranger.pem root.pem > bundle.pem
openssl x509 -in p256.pem -outform DER -out p256.der
openssl pkcs8 -topk8 -nocrypt -in p256.key -outform DER -out p256key.der
openssl ec -in p256.key -out p256sec1.key 2>/dev/null
openssl rsa -in rsa.key -traditional -out rsapkcs1.key 2>/dev/null
