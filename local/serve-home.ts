import type { Pin } from '../shared/engine/deployment/log-view.ts'
import type { EmbeddedPlatform } from '../shared/platform/embedded/platform.ts'
import type { DeploymentId } from '../shared/records/ids.ts'
import type { GeneratorPorts } from '../functions/step-generator/start.ts'
import { deploy } from './deploy.ts'
import { serve, type ServeOptions } from './serve.ts'
import { type ApiPlace, apiPorts, serveApi } from './serve-api.ts'
import { requestOpener, serveRequest } from './serve-requests.ts'

/** How a process serves a home folder: see `ServeOptions`, and what is asked over the API. */
export interface HomeOptions extends Omit<ServeOptions, 'begin' | 'news'> {
  /** Where the API listens; absent: nowhere. */
  readonly api: ApiPlace | undefined
  /** Of the stacks whose programs were uploaded. */
  readonly passphrase: string | undefined
}

/**
 * Serves stacks, their queues, and the API: a deployment of an uploaded program runs in this
 * process, and whoever serves next goes on with one that was left. Throws CLI_USAGE when the API
 * cannot listen.
 */
export async function serveHome(
  about: {
    readonly platform: EmbeddedPlatform
    readonly ports: GeneratorPorts
    readonly home: string
  },
  options: HomeOptions,
): Promise<void> {
  const { platform, ports, home } = about
  const { api, passphrase, over, said } = options
  const opener = requestOpener(platform, { home, passphrase })
  let news = new AbortController()
  const nudged = (): void => {
    news.abort()
    news = new AbortController()
  }
  const served =
    api === undefined ? undefined : await serveApi(apiPorts(platform, passphrase, nudged), api)
  if (served !== undefined) said(`The API is at ${served.url}`)
  const goOn = async (deployment: DeploymentId, pin: Pin): Promise<unknown> => {
    const request = { ...(await opener.reopen(deployment, pin)), resume: true, leave: over }
    said(`going on with ${deployment}`)
    const sink = { emit: () => undefined }
    return (await deploy({ platform, ports, request, sink })).done
  }
  const isArchived = ({ place }: Pin): boolean => place.archive !== undefined
  try {
    await serve(about, {
      ...options,
      begin: asked => serveRequest({ platform, ports, open: opener.open }, asked, over),
      news: () => news.signal,
      requestOf: (deployment, pin) =>
        isArchived(pin) ? opener.reopen(deployment, pin) : options.requestOf(deployment, pin),
      resume: (deployment, pin) =>
        isArchived(pin) ? goOn(deployment, pin) : options.resume(deployment, pin),
    })
  } finally {
    await served?.close()
  }
}
