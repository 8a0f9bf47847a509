import { closed, text } from '../../reference/parameters.js'
import { isSame, isSignedIn, sessionCookie } from '../guard.js'
import { type Rows, row } from '../row.js'
import { flag, response } from '../schemas.js'
import { REFUSALS } from '../sentences.js'

const SESSION = response('Session', { token_required: flag(), signed_in: flag() })

export const SESSION_ROWS: Rows = {
  'GET /session': {
    does: "Returns whether a token is required, and whether the request's cookie is valid. Needs no token.",
    open: true,
    response: SESSION,
    run: ({ settings, request }) => ({
      token_required: settings.control_token !== null,
      signed_in: isSignedIn(request, settings)
    })
  },
  'POST /session': row({
    does: 'Exchanges CONTROL_TOKEN for a cookie that lasts 12 hours.',
    body: { example: '{"token":"TOKEN"}', schema: () => closed({ token: text() }) },
    open: true,
    response: SESSION,
    run: ({ settings: { control_token: token }, body, request, reply }) => {
      if (token === null) return { token_required: false, signed_in: false }
      if (!isSame(body.token, token)) throw REFUSALS.tokenWrong()
      reply.header('set-cookie', sessionCookie(request, token))
      return { token_required: true, signed_in: true }
    }
  }),
  'DELETE /session': {
    does: 'Signs out.',
    open: true,
    run: ({ request, reply }) => void reply.header('set-cookie', sessionCookie(request))
  }
}
