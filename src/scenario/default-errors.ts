/** Default errors of scripted responses, by status. */
import { present } from './shape/checked.js'

const ERRORS: Readonly<Record<number, readonly [type: string, code: string, message: string]>> = {
  400: ['invalid_request_error', 'parameter_invalid', 'The request is not valid.'],
  401: ['authentication_error', 'api_key_unknown', 'The API key is not valid.'],
  402: ['card_error', 'card_declined', 'The card was declined.'],
  403: ['permission_error', 'forbidden', 'The API key is not allowed to do this.'],
  404: ['not_found_error', 'resource_missing', 'The resource does not exist.'],
  409: ['invalid_request_error', 'conflict', 'The request conflicts with another one.'],
  422: ['invalid_request_error', 'unprocessable', 'The request cannot be processed.'],
  429: ['rate_limit_error', 'rate_limited', 'Too many requests were sent; try again later.'],
  500: ['api_error', 'internal_error', 'The service failed.'],
  502: ['api_error', 'bad_gateway', 'The service behind the gateway failed.'],
  503: ['api_error', 'service_unavailable', 'The service is unavailable; try again later.'],
  504: ['api_error', 'gateway_timeout', 'The service behind the gateway did not respond in time.']
}

export function defaultError(status: number): { type: string; code: string; message: string } {
  const [type, code, message] = ERRORS[status] ?? present(ERRORS[status < 500 ? 400 : 500])
  return { type, code, message }
}
