import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createError, messageOf } from '../../errors/error.ts'
import type { AssumedRole } from '../../platform/aws/roles.ts'
import type { LoggerPort } from '../../ports/system.ts'

/** Returns credentials of a role. Assumes the role again only when its credentials expire soon. */
export type GetRoleCredentials = () => Promise<AssumedRole>

/**
 * The endpoint from which programs and plugins of this process get credentials. The AWS SDK of a
 * program or plugin requests new credentials before its credentials expire.
 */
export interface CredentialsEndpoint {
  /**
   * Returns variables by which every AWS SDK finds the credentials that `getCredentials` returns.
   * A later offer with the same `offerKey` keeps the path and token, and replaces `getCredentials`.
   * Throws INTERNAL_ASSERTION when no port can be opened.
   */
  readonly offer: (
    offerKey: string,
    getCredentials: GetRoleCredentials,
  ) => Promise<Readonly<Record<string, string>>>
}

/** The path and token under which the endpoint returns the credentials of one role. */
interface Offer {
  readonly path: string
  readonly token: string
  readonly getCredentials: GetRoleCredentials
}

/**
 * Creates an HTTP endpoint on loopback with the protocol of AWS's container credentials provider.
 * Each offer has its own path and token, which only a process with the variables of the offer
 * knows. The endpoint does not keep this process alive.
 */
export function createCredentialsEndpoint(logger: LoggerPort): CredentialsEndpoint {
  const offers = new Map<string, Offer>()
  let pendingUrl: Promise<string> | undefined
  const answerRequest = async (
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const requestedOffer = [...offers.values()].find(({ path }) => path === request.url)
    const isAuthorized =
      requestedOffer !== undefined &&
      isSameToken(request.headers.authorization ?? '', requestedOffer.token)
    if (request.method !== 'GET' || !isAuthorized)
      return sendJson(response, 404, { code: 'NotFound' })
    try {
      sendJson(response, 200, credentialsBodyOf(await requestedOffer.getCredentials()))
    } catch (thrown) {
      // The reason is only logged, for the operator, because its text may contain details of the
      // role that a program must not see.
      logger.write('error', 'role.refused', { message: messageOf(thrown) })
      sendJson(response, 503, { code: 'RoleRefused' })
    }
  }
  const listen = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const server = createServer((request, response) => void answerRequest(request, response))
      server.unref()
      server.once('error', cause =>
        reject(
          createError('INTERNAL_ASSERTION', `cannot listen on a port: ${messageOf(cause)}`, {
            cause,
          }),
        ),
      )
      server.listen(0, '127.0.0.1', () => {
        const address = server.address()
        resolve(
          `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
        )
      })
    })
  const openUrl = async (): Promise<string> => {
    const startedUrl = pendingUrl ?? listen()
    pendingUrl = startedUrl
    try {
      return await startedUrl
    } catch (thrown) {
      // The next offer tries again.
      if (pendingUrl === startedUrl) pendingUrl = undefined
      throw thrown
    }
  }
  return {
    offer: async (offerKey, getCredentials) => {
      const url = await openUrl()
      const existingOffer = offers.get(offerKey)
      const [path, token] =
        existingOffer === undefined
          ? [`/${createRandomToken()}`, createRandomToken()]
          : [existingOffer.path, existingOffer.token]
      offers.set(offerKey, { path, token, getCredentials })
      return {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}${path}`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN: token,
      }
    },
  }
}

const createRandomToken = (): string => randomBytes(32).toString('base64url')

/** Compares tokens in constant time. `timingSafeEqual` requires equal lengths, as hashes have. */
function isSameToken(presentedToken: string, token: string): boolean {
  const hashWithSha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hashWithSha256(presentedToken), hashWithSha256(token))
}

function credentialsBodyOf({ accessKeyId, secretAccessKey, sessionToken, expiresAt }: AssumedRole) {
  const Expiration = new Date(expiresAt).toISOString()
  return {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    Token: sessionToken,
    Expiration,
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    connection: 'close',
  }
  response.writeHead(status, headers).end(JSON.stringify(body))
}
