import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { error, messageOf } from '../../shared/errors/error.ts'
import type { AssumedRole } from '../../shared/platform/aws/roles.ts'
import type { LogPort } from '../../shared/ports/system.ts'

/** Gives the credentials of a role, which it took on before or takes on now. */
export type TakeRole = () => Promise<AssumedRole>

/** Where programs and plugins of this process get credentials, again before these end. */
export interface CredentialsEndpoint {
  /**
   * Variables by which every SDK of AWS finds the credentials that `take` gives. `of` names them:
   * the same name is offered at the same place. Throws INTERNAL_ASSERTION when nothing can listen.
   */
  readonly offer: (of: string, take: TakeRole) => Promise<Readonly<Record<string, string>>>
}

interface Offered {
  readonly path: string
  readonly token: string
  readonly take: TakeRole
}

/**
 * An endpoint as containers have one (AWS's container credentials provider): on loopback, each
 * offer at a path and behind a token of its own that only who was given the variables knows. It
 * keeps no process alive.
 */
export function createCredentialsEndpoint(log: LogPort): CredentialsEndpoint {
  const offers = new Map<string, Offered>()
  let listening: Promise<string> | undefined
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const found = [...offers.values()].find(({ path }) => path === request.url)
    const isIt = found !== undefined && isSame(request.headers.authorization ?? '', found.token)
    if (request.method !== 'GET' || !isIt) return send(response, 404, { code: 'NotFound' })
    try {
      send(response, 200, answerOf(await found.take()))
    } catch (thrown) {
      // Why is for who runs the installation: a program is not told what a role's owner wrote.
      log.write('error', 'role.refused', { message: messageOf(thrown) })
      send(response, 503, { code: 'RoleRefused' })
    }
  }
  const listen = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const server = createServer((request, response) => void answer(request, response))
      server.unref()
      server.once('error', cause =>
        reject(error('INTERNAL_ASSERTION', `nothing can listen: ${messageOf(cause)}`, { cause })),
      )
      server.listen(0, '127.0.0.1', () => {
        const at = server.address()
        resolve(`http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`)
      })
    })
  return {
    offer: async (of, take) => {
      listening ??= listen()
      const url = await listening
      const known = offers.get(of)
      const [path, token] =
        known === undefined ? [`/${random()}`, random()] : [known.path, known.token]
      offers.set(of, { path, token, take })
      return {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}${path}`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN: token,
      }
    },
  }
}

const random = (): string => randomBytes(32).toString('base64url')

function isSame(given: string, token: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(token))
}

function answerOf({ accessKeyId, secretAccessKey, sessionToken, expiresAt }: AssumedRole) {
  const Expiration = new Date(expiresAt).toISOString()
  return {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    Token: sessionToken,
    Expiration,
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    connection: 'close',
  }
  response.writeHead(status, headers).end(JSON.stringify(body))
}
