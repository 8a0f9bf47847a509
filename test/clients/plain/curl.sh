#!/bin/sh
# session.txt with curl
set -euf
while IFS='|' read -r status key method path form wanted; do
  set -- -sS -g -w '|%{http_code}' -X "$method"
  [ -z "$key" ] || set -- "$@" -u "$COMMERCE_API_KEY:"
  [ "$method" = POST ] || set -- "$@" -G
  IFS='&'
  for pair in $form; do set -- "$@" --data-urlencode "$pair"; done
  answer=$(curl "$@" "$COMMERCE_BASE_URL$path")
  some=${wanted:+*}
  case $answer in
    $some"$wanted"$some"|$status") ;;
    *) echo "$method $path: $answer" >&2; exit 1 ;;
  esac
done < "$COMMERCE_SESSION"
echo 'session complete'
