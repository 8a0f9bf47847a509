# The session of the README with Net::HTTP. Reads COMMERCE_BASE_URL and COMMERCE_API_KEY.
require 'json'
require 'net/http'

def sent(request, uri, key)
  request.basic_auth(ENV.fetch('COMMERCE_API_KEY'), '') if key
  JSON.parse(Net::HTTP.start(uri.host, uri.port) { |http| http.request(request) }.body)
end

def get(path, query)
  uri = URI("#{ENV.fetch('COMMERCE_BASE_URL')}#{path}?#{URI.encode_www_form(query)}")
  sent(Net::HTTP::Get.new(uri), uri, true)
end

def post(path, form, key: true)
  uri = URI(ENV.fetch('COMMERCE_BASE_URL') + path)
  request = Net::HTTP::Post.new(uri)
  request.set_form_data(form)
  sent(request, uri, key)
end

def expect(found, wanted)
  abort "#{wanted} was expected, not #{found}" if found != wanted
end

expect(get('/locations', { 'limit' => 1 })['has_more'], true)
query = { 'location' => 'loc_bistro', 'search_query' => 'T-12', 'created[lt]' => '2026-02-01', 'limit' => 100 }
expect(get('/tickets', query)['data'].map { |ticket| ticket['id'] }, ['tkt_12'])
card = { 'card[number]' => '4242424242424242', 'card[brand]' => 'visa' }
paid = post('/transactions', { 'ticket' => 'tkt_12', 'payment_type' => 'card', 'amount' => 3000, **card }, key: false)
expect(paid['payment_method']['card'], { 'brand' => 'visa', 'last4' => '4242' })
transaction = paid['id']
part = post('/refunds', { 'transaction' => transaction, 'amount' => 1000, 'reason' => 'cold soup', 'metadata[shift]' => 'late' })
expect([part['amount'], part['metadata']], [1000, { 'shift' => 'late' }])
expect(post('/refunds', { 'transaction' => transaction, 'amount' => 2500 })['error']['code'], 'refund_exceeds_remaining')
expect(post('/refunds', { 'transaction' => transaction })['amount'], 2000)
expect(post('/locations', { 'display_name' => 'Bar', 'address[contry]' => 'US' })['error']['param'], 'address[contry]')
puts 'session complete'
