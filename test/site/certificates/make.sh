#!/bin/sh
# Recreates the certificates of the test servers (see README.md). Needs openssl 3.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

century='-startdate 20250101000000Z -enddate 21250101000000Z'
january='-startdate 20200101000000Z -enddate 20200201000000Z'
authority='basicConstraints=critical,CA:TRUE'
right='subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1'
wrong='subjectAltName=DNS:elsewhere.example'

# certify NAME KEY EXTENSION DATES SIGNER...: `openssl ca`, because only it takes both dates.
certify() {
  name=$1 key=$2 extension=$3 dates=$4
  shift 4
  openssl ecparam -name prime256v1 -genkey -noout -out "$key"
  openssl req -new -key "$key" -subj "/CN=kscrape test $name" -out "$work/request.csr"
  : >"$work/index.txt"
  cat >"$work/ca.conf" <<CONF
[ca]
default_ca=ours
[ours]
database=$work/index.txt
new_certs_dir=$work
rand_serial=yes
default_md=sha256
policy=names
[names]
commonName=supplied
[extension]
$extension
CONF
  # shellcheck disable=SC2086
  openssl ca -batch -notext -config "$work/ca.conf" -extensions extension $dates "$@" -in "$work/request.csr" -out "$name.pem"
}

certify ca "$work/ca-key.pem" "$authority" "$century" -selfsign -keyfile "$work/ca-key.pem"
by_ca="-cert ca.pem -keyfile $work/ca-key.pem"
# shellcheck disable=SC2086
certify good-with-own-ca good-with-own-ca-key.pem "$right" "$century" $by_ca
# shellcheck disable=SC2086
certify wrong-name wrong-name-key.pem "$wrong" "$century" $by_ca
# shellcheck disable=SC2086
certify expired expired-key.pem "$right" "$january" $by_ca
certify self-signed self-signed-key.pem "$right" "$century" -selfsign -keyfile self-signed-key.pem
