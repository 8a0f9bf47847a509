/** The error of a scripted response by its status, where the script says no more. */

type ShownError = { type: string; code: string; message: string }

const ERRORS: Readonly<Record<number, ShownError>> = {
  400: {
    type: 'invalid_request_error',
    code: 'parameter_invalid',
    message: 'The request is not valid.'
  },
  401: {
    type: 'authentication_error',
    code: 'api_key_unknown',
    message: 'The API key is not valid.'
  },
  402: { type: 'card_error', code: 'card_declined', message: 'The card was declined.' },
  403: {
    type: 'permission_error',
    code: 'forbidden',
    message: 'The API key is not allowed to do this.'
  },
  404: {
    type: 'not_found_error',
    code: 'resource_missing',
    message: 'The resource does not exist.'
  },
  409: {
    type: 'invalid_request_error',
    code: 'conflict',
    message: 'The request conflicts with another one.'
  },
  422: {
    type: 'invalid_request_error',
    code: 'unprocessable',
    message: 'The request cannot be processed.'
  },
  429: {
    type: 'rate_limit_error',
    code: 'rate_limited',
    message: 'Too many requests were sent; try again later.'
  },
  500: { type: 'api_error', code: 'internal_error', message: 'The service failed.' },
  502: {
    type: 'api_error',
    code: 'bad_gateway',
    message: 'The service behind the gateway failed.'
  },
  503: {
    type: 'api_error',
    code: 'service_unavailable',
    message: 'The service is unavailable; try again later.'
  },
  504: {
    type: 'api_error',
    code: 'gateway_timeout',
    message: 'The service behind the gateway did not respond in time.'
  }
}

export const defaultError = (status: number): ShownError =>
  ERRORS[status] ?? (ERRORS[status < 500 ? 400 : 500] as ShownError)
