import * as z from 'zod'
import { publicIssuers } from '../../shared/api/federation/public-issuers.ts'
import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { parseSeconds } from '../arguments/parse-seconds.ts'
import { requireUniqueNames } from '../arguments/unique-pairs.ts'
import { readLogin } from '../remote/saved-login.ts'
import type { CliSession } from '../session/session.ts'
import { createDocumentCommands, enabledStatusOf } from './document-commands.ts'

const federationPath = '/v1/federations'

/** `federation create`: creates or updates a federation rule. */
export const createFederationRule: Handler = async (session, flags, [name = '']) => {
  const issuer = flags.text('issuer') ?? ''
  const stacks = flags.list('for')
  const lifetime = flags.text('lifetime')
  const body = {
    issuer: issuer === 'github' || issuer === 'gitlab' ? publicIssuers[issuer].url : issuer,
    audience: requireAudience(session, flags),
    claims: requireUniqueNames('--claim', flags.list('claim').map(parseCondition)),
    role: flags.text('role'),
    isPaused: flags.isSet('paused'),
    ...(stacks.length === 0 ? {} : { stacks }),
    ...(lifetime === undefined ? {} : { lifetimeSeconds: parseSeconds('--lifetime', lifetime) }),
  }
  const { callApi } = await session.openEngine()
  const path = `${federationPath}/${encodeURIComponent(name)}`
  const response = await callApi({ method: 'PUT', path, body })
  const { created } = z.looseObject({ created: z.boolean() }).parse(response)
  session.printToStderr(
    `${created ? 'Created' : 'Updated'} federation rule '${name}' for the audience '${body.audience}'.`,
  )
  return 0
}

/** Returns the audience of a rule: the option, or the address of the login. Throws CLI_USAGE. */
function requireAudience(session: CliSession, flags: Flags): string {
  const audience = flags.text('audience') ?? readLogin(session.home)?.url
  if (audience === undefined)
    throw createError('CLI_USAGE', 'without a login, pass the audience of the OIDC tokens', {
      hint: 'Pass the address of the API, such as --audience https://antichain.example.com. On GitHub Actions, `antichain login --oidc` requests tokens for it.',
    })
  return audience
}

function parseCondition(text: string): readonly [claim: string, pattern: string] {
  const [, claim, pattern] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (claim === undefined || pattern === undefined)
    throw createError('CLI_USAGE', `--claim takes <name>=<pattern>, not '${text}'`)
  return [claim, pattern]
}

/** The commands `federation ls`, `show` and `rm`. */
export const federationCommands = createDocumentCommands({
  noun: 'federation rule',
  resolvePath: async () => federationPath,
  statusOf: enabledStatusOf,
  describe: ({ issuer, claims, role, stacks }) => {
    const conditions = Object.entries(Object(claims)).map(
      ([claim, text]) => `${claim}=${String(text)}`,
    )
    const scope = Array.isArray(stacks) ? stacks.join(', ') : 'all stacks'
    return `${conditions.join(', ')} of ${String(issuer)}: ${String(role)} for ${scope}`
  },
})
