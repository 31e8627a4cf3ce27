import { addressRules } from '../functions/surroundings/address-rules.ts'
import { tellEnded, type Telling } from '../functions/step-generator/tell-result.ts'
import type { GeneratorPorts } from '../functions/step-generator/start.ts'
import type { Pin } from '../shared/engine/deployment/log-view.ts'
import { messageOf } from '../shared/errors/error.ts'
import type { EmbeddedPlatform } from '../shared/platform/embedded/platform.ts'
import type { StackRecord } from '../shared/ports/catalog.ts'
import type { OutboundPort } from '../shared/ports/outbound.ts'
import type { DeploymentId, StackId } from '../shared/records/ids.ts'
import { createOutbound } from '../shared/triggers/outbound.ts'
import { deploy } from './deploy.ts'
import { serve, type ServeOptions } from './serve.ts'
import { type ApiPlace, apiPorts, serveApi, type ServedApi } from './serve-api.ts'
import { requestOpener, serveRequest } from './serve-requests.ts'
import { serveTriggers } from './serve-triggers.ts'

/** How a process serves a home folder: see `ServeOptions`, and what is asked over the API. */
export interface HomeOptions extends Omit<ServeOptions, 'begin' | 'news' | 'atRest'> {
  /** Where the API and webhooks listen; absent: nowhere. */
  readonly api: ApiPlace | undefined
  /** Of the stacks whose programs were uploaded. */
  readonly passphrase: string | undefined
  /** Says what calls to the outside may reach; and package managers run in it. */
  readonly env: Readonly<Record<string, string | undefined>>
}

interface Home {
  readonly platform: EmbeddedPlatform
  readonly ports: GeneratorPorts
  readonly home: string
}

/**
 * Serves stacks, their queues, schedules, notifications, the API and webhooks: a deployment of an
 * uploaded program, or of a repository's, runs in this process, and whoever serves next goes on
 * with one that was left. Throws CLI_USAGE when the API cannot listen.
 */
export async function serveHome(about: Home, options: HomeOptions): Promise<void> {
  const { ports, home } = about
  const { passphrase, over, said, env } = options
  let news = new AbortController()
  const platform = nudging(about.platform, () => {
    news.abort()
    news = new AbortController()
  })
  const outbound = createOutbound(addressRules(env))
  const opener = requestOpener(platform, { home, passphrase, outbound, env })
  const served = await servedApi(platform, options)
  const triggers = servedTriggers(platform, outbound, options)
  const goOn = async (deployment: DeploymentId, pin: Pin): Promise<unknown> => {
    const request = { ...(await opener.reopen(deployment, pin)), resume: true, leave: over }
    said(`going on with ${deployment}`)
    const sink = { emit: () => undefined }
    return (await deploy({ platform, ports, request, sink })).done
  }
  const isArchived = ({ place }: Pin): boolean => place.archive !== undefined
  const serving = { platform, ports, open: opener.open, tell: platform }
  try {
    await serve(about, {
      ...options,
      begin: asked => serveRequest(serving, asked, over),
      atRest: tellingEnds(platform),
      news: () => news.signal,
      requestOf: (deployment, pin) =>
        isArchived(pin) ? opener.reopen(deployment, pin) : options.requestOf(deployment, pin),
      resume: (deployment, pin) =>
        isArchived(pin) ? goOn(deployment, pin) : options.resume(deployment, pin),
    })
    await triggers
  } finally {
    await served?.close()
  }
}

/** The platform, whose nudges this process hears of at once. */
function nudging(platform: EmbeddedPlatform, nudged: () => void): EmbeddedPlatform {
  const nudge: EmbeddedPlatform['nudges']['nudge'] = async (...given) => {
    await platform.nudges.nudge(...given)
    nudged()
  }
  return { ...platform, nudges: { ...platform.nudges, nudge } }
}

async function servedApi(
  platform: EmbeddedPlatform,
  { api, passphrase, said }: HomeOptions,
): Promise<ServedApi | undefined> {
  if (api === undefined) return undefined
  const served = await serveApi(apiPorts(platform, passphrase), api)
  said(`The API is at ${served.url}`)
  said(`Webhooks are taken at ${served.url}/hooks/<name>`)
  return served
}

/** Who only runs operations leaves schedules and notifications to others. */
async function servedTriggers(
  platform: EmbeddedPlatform,
  outbound: OutboundPort,
  { roles, over }: HomeOptions,
): Promise<void> {
  if (roles.has('generator')) await serveTriggers(platform, { outbound, execute: 'here', over })
}

/**
 * Tells what deployments came to, also those that a command ran, and those whose process died
 * before it could say so: each is told once, whoever serves.
 */
function tellingEnds(platform: EmbeddedPlatform): (stack: StackRecord) => Promise<void> {
  const tell: Telling = platform
  const told = new Map<StackId, number>()
  return async ({ id, deployments }) => {
    if (told.get(id) === deployments) return
    try {
      await tellEnded({ platform, tell }, id)
      told.set(id, deployments)
    } catch (thrown) {
      platform.journal.write('warn', 'tell.failed', { stack: id, message: messageOf(thrown) })
    }
  }
}
