import { createError } from '../../../shared/errors/error.ts'
import { openTestApi, shopPath } from '../../../functions/api/api.fixture.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const api = await openTestApi()
const token = await api.issueToken('admin')

/** The routes with a JSON body, by the first line of an input. */
const routes: Readonly<Record<string, string>> = {
  rename: `POST ${shopPath}/rename`,
  notifications: `PUT ${shopPath}/notifications/fuzz`,
  deployments: `POST ${shopPath}/deployments`,
  previews: `POST ${shopPath}/previews`,
  edits: `POST ${shopPath}/edits`,
  programs: `POST ${shopPath}/programs`,
  tokens: 'POST /v1/tokens',
  federations: 'PUT /v1/federations/fuzz',
  webhooks: 'PUT /v1/webhooks/fuzz',
  schedules: `PUT ${shopPath}/schedules/fuzz`,
  exchange: 'POST /v1/tokens/exchange',
}

/**
 * Bodies of the API: a line with a name of `routes`, and the body. The API is called without a
 * socket, over a real store.
 */
export const apiBodiesTarget: FuzzTarget = {
  async decode(input) {
    const bytes = Buffer.from(input)
    const lineEnd = Math.max(0, bytes.indexOf(10))
    const name = bytes.toString('utf8', 0, lineEnd)
    const route = Object.hasOwn(routes, name) ? routes[name] : undefined
    if (route === undefined) throw createError('API_ROUTE_UNKNOWN', 'the input has no route')
    const response = await api.call(token, route, bytes.subarray(lineEnd + 1))
    const text = await response.text()
    requireLaw(response.status < 500, `a body never causes the status 500: ${text.slice(0, 300)}`)
    requireLaw(!text.includes('API_RATE_LIMITED'), 'no rate limit hides a decoder')
    if (response.status >= 400) throw createError('API_INPUT_INVALID', text.slice(0, 300))
  },
  close: () => api.close(),
}
