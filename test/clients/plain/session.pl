# The session of the README with LWP. Reads COMMERCE_BASE_URL and COMMERCE_API_KEY.
use strict;
use warnings;
use JSON::PP;
use LWP::UserAgent;
use MIME::Base64;
use URI;

my $url = $ENV{COMMERCE_BASE_URL};
my $agent = LWP::UserAgent->new;
my @key = (Authorization => 'Basic ' . encode_base64("$ENV{COMMERCE_API_KEY}:", ''));

sub answer { decode_json(shift->content) }

sub get {
    my ($path, @query) = @_;
    my $uri = URI->new($url . $path);
    $uri->query_form(@query);
    answer($agent->get($uri, @key));
}

sub post {
    my ($path, $form, @headers) = @_;
    answer($agent->post($url . $path, $form, @headers));
}

sub expect {
    my ($found, $wanted) = @_;
    die "$wanted was expected, not $found\n" if $found ne $wanted;
}

expect(get('/locations', limit => 1)->{has_more} ? 'more' : 'none', 'more');
my $found = get('/tickets', location => 'loc_bistro', search_query => 'T-12', 'created[lt]' => '2026-02-01', limit => 100);
expect($found->{data}[0]{id}, 'tkt_12');
my $paid = post('/transactions', [ticket => 'tkt_12', payment_type => 'card', amount => 3000, 'card[number]' => '4242424242424242', 'card[brand]' => 'visa']);
expect($paid->{payment_method}{card}{last4}, '4242');
my @of = (transaction => $paid->{id});
my $part = post('/refunds', [@of, amount => 1000, reason => 'cold soup', 'metadata[shift]' => 'late'], @key);
expect("$part->{amount} $part->{metadata}{shift}", '1000 late');
expect(post('/refunds', [@of, amount => 2500], @key)->{error}{code}, 'refund_exceeds_remaining');
expect(post('/refunds', [@of], @key)->{amount}, 2000);
expect(post('/locations', [display_name => 'Bar', 'address[contry]' => 'US'], @key)->{error}{param}, 'address[contry]');
print "session complete\n";
