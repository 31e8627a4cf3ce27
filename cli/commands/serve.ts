import type { Handler } from '../arguments/handler.ts'
import { buildRequest } from '../operations/operation-request.ts'
import { readFunctionLimit } from '../operations/operation-options.ts'
import { runResume } from '../operations/run-operation.ts'
import type { Flags } from '../arguments/flags.ts'
import { createCliSession, type CliSession } from '../session/session.ts'
import { readLogin } from '../remote/saved-login.ts'
import type { ServeRole } from '../../local/serve-stacks.ts'
import type { Pin } from '../../shared/engine/deployment/log/log-view.ts'
import { publicUrlForm } from '../../shared/config/public-url.ts'
import { createError } from '../../shared/errors/error.ts'
import { deploymentPartsOf, type DeploymentId } from '../../shared/records/ids.ts'

const roles: readonly ServeRole[] = ['generator', 'executor']

/**
 * `serve`: serves all stacks in the store of this machine until Ctrl-C, and then waits for its
 * running operations. In the role of a generator it continues interrupted deployments and runs
 * queued requests. In the role of an executor it runs operations of deployments with `--execute
 * elsewhere`. `--only` selects one role. A generator also runs schedules and delivers
 * notifications. With `--port` the process serves the API and webhooks.
 */
export const serveEngine: Handler = async (session, flags) => {
  const addresses = { api: readApiAddress(flags), publicUrl: readPublicUrl(flags) }
  const engine = await session.openLocalEngine()
  const shutdown = new AbortController()
  const removeInterruptHandler = session.io.onInterrupt(() => {
    if (shutdown.signal.aborted)
      throw createError('DEPLOYMENT_CANCELLED', 'abandoned the running operations')
    session.printToStderr(
      'Shutting down after the running operations. Another `antichain serve` can continue the deployments. Press Ctrl-C again to abandon the operations.',
    )
    shutdown.abort()
  })
  const login = readLogin(session.home)
  const storeText = login === undefined ? '' : ` the store of this machine, not ${login.url}`
  session.printToStderr(`Serving${storeText}. Press Ctrl-C to stop.`)
  try {
    await engine.serve({
      roles: new Set(roles.filter(role => (flags.text('only') ?? role) === role)),
      shutdown: shutdown.signal,
      functionLimitMs: readFunctionLimit(flags),
      onMessage: line => session.printToStderr(line),
      ...addresses,
      passphrase: await readPassphraseVariable(session),
      env: session.io.env,
      requestOf: async (deployment, pin) => {
        const { command } = pin.options
        const programSession = await openProgramSession(session, deployment, pin)
        const request = await buildRequest(programSession, createResumeFlags(pin, flags), command)
        return { ...request, options: pin.options }
      },
      resume: async (deployment, pin) =>
        runResume(
          await openProgramSession(session, deployment, pin),
          createResumeFlags(pin, flags),
          shutdown.signal,
        ),
    })
    return 0
  } finally {
    removeInterruptHandler()
  }
}

/**
 * Returns the address of the API: loopback unless --host names another one. Returns undefined
 * without --port. Throws CLI_USAGE.
 */
function readApiAddress(
  flags: Flags,
): { readonly host: string; readonly port: number } | undefined {
  const port = flags.text('port')
  const host = flags.text('host')
  if (port === undefined && host !== undefined)
    throw createError('CLI_USAGE', '--host requires --port')
  if (port === undefined) return undefined
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw createError('CLI_USAGE', `--port takes a number up to 65535, not '${port}'`)
  return { host: host ?? '127.0.0.1', port: Number(port) }
}

/**
 * Returns the public address of the dashboard, or undefined without `--public-url`. Throws
 * CLI_USAGE.
 */
function readPublicUrl(flags: Flags): string | undefined {
  const text = flags.text('publicUrl')
  if (text === undefined) return undefined
  const { data } = publicUrlForm.safeParse(text)
  if (data !== undefined) return data
  throw createError('CLI_USAGE', `--public-url takes a URL of http or https, not '${text}'`, {
    hint: 'Name the address at which a browser reaches the dashboard, such as https://deploy.example.com.',
  })
}

async function readPassphraseVariable(session: CliSession): Promise<string | undefined> {
  return (await session.tools.loadSecrets()).readPassphrase(session.io.env)
}

/** Opens a session in the folder of a deployment's program, over the same store. */
async function openProgramSession(
  session: CliSession,
  deployment: DeploymentId,
  pin: Pin,
): Promise<CliSession> {
  const { place: programLocation } = pin
  const engine = await session.openLocalEngine()
  const getEngine = async () => engine
  const tools = { ...session.tools, openLocal: getEngine, openRemote: getEngine }
  return createCliSession(session.io, tools, {
    cwd: programLocation.root,
    stack: deploymentPartsOf(deployment).stack,
    nonInteractive: true,
    color: session.color ? 'always' : 'never',
    verbose: session.verbose,
  })
}

/** Returns the flags of a resume: the configuration file of its pin, and the time limit. */
function createResumeFlags({ place: programLocation }: Pin, flags: Flags): Flags {
  const { configFile } = programLocation
  const values = { configFile, functionLimit: flags.text('functionLimit') }
  return {
    isSet: () => false,
    text: name => (name === 'configFile' || name === 'functionLimit' ? values[name] : undefined),
    list: () => [],
  }
}
