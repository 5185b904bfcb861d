# shellcheck shell=bash
# A local offerd: key, local App Store, database, API keys and customers in one folder. Sourced after lib.sh, by scripts that
# have built offerd and offerctl.

# shellcheck disable=SC2034 # used by the scripts that source this
app=com.example.pro
environment=LocalTesting
key_id=LOCALTEST1
key_file=keys/SubscriptionKey_$key_id.p8
offerd=$bin/offerd
offerctl=$bin/offerctl

# prepare_offerd FOLDER: creates what is missing.
prepare_offerd() {
    local folder=$1
    if [[ -f $folder/keys.yaml ]]; then
        say "using the installation made earlier"
    else
        # Without the commands to type next: they follow.
        "$offerd" init "$folder" --app "$app" | sed '/^$/,$d'
    fi
    openssl pkey -in "$folder/$key_file" -pubout -out "$folder/public.pem"
    mkdir -p "$folder/tokens"
    chmod 700 "$folder/tokens"
    "$offerd" migrate --config "$folder/offerd.yaml"
    local role
    for role in client app support marketing admin; do
        if [[ -s $folder/tokens/$role ]]; then
            say "using the $role token made earlier"
        else
            (
                umask 077
                "$offerd" api-keys create --app $app --environment $environment --role $role \
                    --config "$folder/offerd.yaml" >"$folder/tokens/$role.new"
                mv "$folder/tokens/$role.new" "$folder/tokens/$role"
            )
            say "made the token of the role $role in ${folder#"$root/"}/tokens/$role"
        fi
    done
}

# start_offerd FOLDER [PORT [OPTION…]]: starts the server, by default on a free port, and sets `server` (its process) and
# `url`; returns 1 if it does not start.
start_offerd() {
    local folder=$1 port=${2:-0}
    # It, and what is started beside it, reaches no other machine.
    if [[ -z ${isolation:-} ]]; then isolate "$folder/isolation" || return 1; fi
    # An earlier server's address must not be taken for this one's.
    : >"$folder/serve.out"
    # Not part of a pipeline, so that signals reach the server itself.
    "$offerd" serve --config "$folder/offerd.yaml" --listen "127.0.0.1:$port" "${@:3}" >"$folder/serve.out" 2>"$folder/serve.log" &
    server=$!
    url=
    for _ in $(seq 1 300); do
        url=$(sed -n 's/^listening on \(http.*\)$/\1/p' "$folder/serve.out" | head -n 1)
        if [[ -n $url ]]; then break; fi
        if ! kill -0 "$server" 2>/dev/null; then break; fi
        sleep 0.1
    done
    if [[ -z $url ]]; then
        complain "offerd did not start" "its log is ${folder#"$root/"}/serve.log; it ends with the lines below"
        tail -n 5 "$folder/serve.log" >&2
        return 1
    fi
    say "listening on $url"
}

# The process started by start_offerd.
server=

# Stops it, if there is one; exits 1 if it tried to reach another machine.
stop_offerd() {
    if [[ -z $server ]]; then return 0; fi
    kill -TERM "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    server=
    stayed_here || exit 1
}

# fill_history FOLDER: lets the server of an installation that has not served yet live through the last 30 days with made-up
# customers, and stops it. `filling` in the folder says that this was begun and did not end.
fill_history() {
    local folder=$1
    if [[ -e $folder/serve.out ]]; then
        say "using the data made earlier"
        return 0
    fi
    touch "$folder/filling"
    printf '%s000\n' $((($(date +%s) / 86400 - 30) * 86400)) >"$folder/clock"
    start_offerd "$folder" 0 --clock-file "$folder/clock" || return 1
    python3 Scripts/sample_history.py --url "$url" --offerd "$offerd" --root "$folder/root" --tokens "$folder/tokens" \
        --clock "$folder/clock" --catalog Examples/catalog.yaml | tee "$folder/history.txt" || return 1
    stop_offerd
    rm "$folder/filling"
}

# console_link FOLDER PAGE: prints a link that signs in to the console of the running server, once, and leads to the page.
console_link() {
    local id link
    id=$(cut -d _ -f 4 "$1/tokens/admin")
    link=$("$offerd" dev console-link "$id" --config "$1/offerd.yaml" --listen "${url#http://}") || return 1
    printf '%s&next=%s\n' "$link" "${2//\//%2f}"
}

# request METHOD PATH BODYFILE TOKEN: prints the status on the first line, then the body.
request() {
    curl --silent --show-error --max-time 30 --request "$1" --header "Authorization: Bearer $4" \
        --header 'Content-Type: application/json' --data-binary "@$3" --write-out '\n%{http_code}' "$url$2" |
        python3 -c 'import sys; text = sys.stdin.read(); body, _, status = text.rpartition("\n"); print(status); print(body)'
}

# account_token CUSTOMER: the customer's appAccountToken, from the scenario.
account_token() {
    sed -n 's/.*appAccountToken: *\([0-9a-fA-F-]*\).*/\1/p' "Examples/scenarios/$1.yaml" | head -n 1
}

# load_customer FOLDER CUSTOMER: signs the customer's scenario with the local root and sends it.
load_customer() {
    local folder=$1 customer=$2 answer
    mkdir -p "$folder/customers"
    "$offerd" dev sign --root "$folder/root" --scenario "Examples/scenarios/$customer.yaml" \
        >"$folder/customers/$customer.json"
    answer=$(request POST /v1/transactions "$folder/customers/$customer.json" "$(<"$folder/tokens/client")")
    if [[ $(head -n 1 <<<"$answer") != 200 ]]; then
        complain "the customer \`$customer\` could not be loaded" "the answer was: $(tail -n +2 <<<"$answer")"
        return 1
    fi
    say "loaded customer: $customer"
}
