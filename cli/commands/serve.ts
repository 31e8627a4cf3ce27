import type { Handler } from '../attach.ts'
import { requestOf } from '../operation-request.ts'
import { functionLimitOf } from '../operation-options.ts'
import { runResume } from '../operation.ts'
import type { Flags } from '../flags.ts'
import { createSession, type Session } from '../session.ts'
import { readLogin } from '../remote/login.ts'
import type { ServeRole } from '../../local/serve.ts'
import type { Pin } from '../../shared/engine/deployment/log-view.ts'
import { error } from '../../shared/errors/error.ts'
import { deploymentPartsOf, type DeploymentId } from '../../shared/records/ids.ts'

const roles: readonly ServeRole[] = ['generator', 'executor']

/**
 * `serve`: goes on with interrupted deployments of every stack by itself, and runs operations of
 * those that leave them to others. Ends at Ctrl-C, when what it runs has ended.
 */
export const serve: Handler = async (session, flags) => {
  const local = await session.here()
  const over = new AbortController()
  const release = session.io.onInterrupt(() => {
    if (over.signal.aborted) throw error('DEPLOYMENT_CANCELLED', 'abandoned what was running')
    session.warn(
      'Ending: what runs is awaited, the rest is left to others. Ctrl-C again abandons it.',
    )
    over.abort()
  })
  const login = readLogin(session.home)
  const which = login === undefined ? '' : ` the store of this machine, not ${login.url}`
  session.warn(`Serving${which}. Ctrl-C ends it.`)
  try {
    await local.serve({
      roles: new Set(roles.filter(role => (flags.text('only') ?? role) === role)),
      over: over.signal,
      functionLimitMs: functionLimitOf(flags),
      said: line => session.warn(line),
      api: placeOfApi(flags),
      passphrase: await passphraseOf(session),
      env: session.io.env,
      requestOf: async (deployment, pin) => {
        const { command } = pin.options
        const place = await placeOf(session, deployment, pin)
        const request = await requestOf(place, flagsFor(pin, flags), command)
        return { ...request, options: pin.options }
      },
      resume: async (deployment, pin) =>
        runResume(await placeOf(session, deployment, pin), flagsFor(pin, flags), over.signal),
    })
    return 0
  } finally {
    release()
  }
}

/** Where the API listens: on loopback unless another host is named. Throws CLI_USAGE. */
function placeOfApi(flags: Flags): { readonly host: string; readonly port: number } | undefined {
  const port = flags.text('port')
  const host = flags.text('host')
  if (port === undefined && host !== undefined)
    throw error('CLI_USAGE', '--host says where --port listens: name a port too')
  if (port === undefined) return undefined
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw error('CLI_USAGE', `--port takes a number up to 65535, not '${port}'`)
  return { host: host ?? '127.0.0.1', port: Number(port) }
}

async function passphraseOf(session: Session): Promise<string | undefined> {
  return (await session.tools.secrets()).passphrase(session.io.env)
}

/** A session in the folder of a deployment's program, over the same store. */
async function placeOf(session: Session, deployment: DeploymentId, pin: Pin): Promise<Session> {
  const local = await session.here()
  const open = async () => local
  const tools = { ...session.tools, openLocal: open, openRemote: open }
  return createSession(session.io, tools, {
    cwd: pin.place.root,
    stack: deploymentPartsOf(deployment).stack,
    nonInteractive: true,
    color: session.color ? 'always' : 'never',
    verbose: session.verbose,
  })
}

/** The options that say where something is found, and how long it may last. */
function flagsFor({ place }: Pin, flags: Flags): Flags {
  const given = { configFile: place.configFile, functionLimit: flags.text('functionLimit') }
  return {
    is: () => false,
    text: name => (name === 'configFile' || name === 'functionLimit' ? given[name] : undefined),
    list: () => [],
  }
}
