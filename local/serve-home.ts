import { readAddressRules } from '../shared/runtime/environment/address-rules.ts'
import { followUpLastDeployment } from '../functions/step-generator/follow-up-deployment.ts'
import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'
import type { Pin } from '../shared/engine/deployment/log/log-view.ts'
import { messageOf } from '../shared/errors/error.ts'
import type { EmbeddedPlatform } from '../shared/platform/embedded/embedded-platform.ts'
import type { StackRecord } from '../shared/ports/catalog.ts'
import type { OutboundPort } from '../shared/ports/outbound.ts'
import type { DeploymentId, StackId } from '../shared/records/ids.ts'
import { createOutbound } from '../shared/triggers/outbound/outbound.ts'
import { deploy } from './deploy.ts'
import { serveStacks, type ServeOptions } from './serve-stacks.ts'
import { type ApiAddress, createApiPorts, serveApi, type ServedApi } from './serve-api.ts'
import { reportQueueAges } from './report-queue-ages.ts'
import { createRequestOpener, serveRequest } from './serve-requests.ts'
import { serveTriggers } from './serve-triggers.ts'

/** The options of serving a home folder. `serveHome` itself sets the omitted options. */
export interface HomeOptions
  extends Omit<ServeOptions, 'runRequest' | 'wakeSignal' | 'onIdleStack'> {
  /** The address of the API and webhooks. Absent: neither is served. */
  readonly api: ApiAddress | undefined
  /** The public address of the dashboard. Absent: replies to webhooks have no links. */
  readonly publicUrl: string | undefined
  /** The passphrase of the stacks' secrets, for the API and for archived programs. */
  readonly passphrase: string | undefined
  /** The environment: it defines the allowed outbound addresses, and package managers run in it. */
  readonly env: Readonly<Record<string, string | undefined>>
}

interface HomeDeps {
  readonly platform: EmbeddedPlatform
  readonly ports: GeneratorPorts
  readonly home: string
}

/**
 * Serves the stacks of a home folder, and with `api` also the API and webhooks. Request queues,
 * schedules and notifications are served only with the role `generator`. Deployments of uploaded
 * programs and of repositories run in this process. After a shutdown, the next server continues
 * them. Throws CLI_USAGE when the API cannot listen.
 */
export async function serveHome(deps: HomeDeps, options: HomeOptions): Promise<void> {
  const { ports, home } = deps
  const { passphrase, shutdown, onMessage, env } = options
  let wakeAbort = new AbortController()
  const platform = withNudgeListener(deps.platform, () => {
    wakeAbort.abort()
    wakeAbort = new AbortController()
  })
  const outbound = createOutbound(readAddressRules(env))
  const opener = createRequestOpener(platform, { home, passphrase, outbound, env })
  const servedApi = await startApi(platform, ports, options)
  const triggers = runTriggers(platform, outbound, options)
  const ageReports = options.roles.has('generator')
    ? reportQueueAges(platform, shutdown)
    : undefined
  const resumeArchived = async (deployment: DeploymentId, pin: Pin): Promise<unknown> => {
    const request = {
      ...(await opener.reopen(deployment, pin)),
      resume: true,
      resumedDeployment: deployment,
      handOverSignal: shutdown,
    }
    onMessage(`resuming ${deployment}`)
    const sink = { emit: () => undefined }
    return (await deploy({ platform, ports, request, sink })).done
  }
  const hasArchivedProgram = ({ place: programLocation }: Pin): boolean =>
    programLocation.archive !== undefined
  const requestServer = { platform, ports, open: opener.open, notifier: platform }
  try {
    await serveStacks(deps, {
      ...options,
      runRequest: request => serveRequest(requestServer, request, shutdown),
      onIdleStack: createFollowUp(platform),
      wakeSignal: () => wakeAbort.signal,
      requestOf: (deployment, pin) =>
        hasArchivedProgram(pin)
          ? opener.reopen(deployment, pin)
          : options.requestOf(deployment, pin),
      resume: (deployment, pin) =>
        hasArchivedProgram(pin) ? resumeArchived(deployment, pin) : options.resume(deployment, pin),
    })
    await triggers
    await ageReports
  } finally {
    await servedApi?.close()
  }
}

/** Returns a copy of the platform that calls `onNudge` after each nudge of this process. */
function withNudgeListener(platform: EmbeddedPlatform, onNudge: () => void): EmbeddedPlatform {
  const nudge: EmbeddedPlatform['nudges']['nudge'] = async (...args) => {
    await platform.nudges.nudge(...args)
    onNudge()
  }
  return { ...platform, nudges: { ...platform.nudges, nudge } }
}

async function startApi(
  platform: EmbeddedPlatform,
  ports: GeneratorPorts,
  { api, publicUrl, passphrase, onMessage }: HomeOptions,
): Promise<ServedApi | undefined> {
  if (api === undefined) return undefined
  const apiPorts = createApiPorts(platform, passphrase, ports)
  const publicUrlField = publicUrl === undefined ? {} : { publicUrl }
  const servedApi = await serveApi({ ...apiPorts, ...publicUrlField }, api)
  onMessage(`The API is at ${servedApi.url}`)
  onMessage(
    servedApi.hasDashboard
      ? `The dashboard is at ${servedApi.url}/`
      : 'The dashboard is not served, because it is not built. Run `npm run gen` in the clone of Antichain, and start this command again.',
  )
  onMessage(`Webhooks are received at ${servedApi.url}/hooks/<name>`)
  return servedApi
}

/** Serves triggers if this process has the role `generator`. */
async function runTriggers(
  platform: EmbeddedPlatform,
  outbound: OutboundPort,
  { roles, publicUrl, shutdown }: HomeOptions,
): Promise<void> {
  if (!roles.has('generator')) return
  const links = publicUrl === undefined ? {} : { dashboardUrl: publicUrl }
  await serveTriggers(platform, { outbound, execute: 'here', shutdown, ...links })
}

/**
 * Creates the function that follows up a stack's last deployment, which any process may have run.
 * It sends the notifications about the end, and removes the stack if a schedule requires it. If
 * several servers check the same deployment, only one of them sends the notifications.
 */
function createFollowUp(platform: EmbeddedPlatform): (stack: StackRecord) => Promise<void> {
  const followedUpDeployments = new Map<StackId, number>()
  return async ({ id, deployments: lastDeploymentNumber }) => {
    if (followedUpDeployments.get(id) === lastDeploymentNumber) return
    try {
      const { kind } = await followUpLastDeployment({ platform, notifier: platform }, id)
      if (kind !== 'waiting') followedUpDeployments.set(id, lastDeploymentNumber)
    } catch (thrown) {
      platform.logger.write('warn', 'notify.failed', { stack: id, message: messageOf(thrown) })
    }
  }
}
