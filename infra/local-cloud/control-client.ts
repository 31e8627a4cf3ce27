import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { awsVariables, type AwsVariable } from '../../shared/config/aws-resource-names.ts'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'
import { createError } from '../../shared/errors/error.ts'
import type { AwsSettings } from '../../shared/platform/aws/clients.ts'
import { readAwsResources } from '../../shared/platform/aws/aws-resources.ts'
import { type AwsPlatform, createAwsPlatform } from '../../shared/platform/aws/aws-platform.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import { processPlatform } from '../../shared/config/process-platform.ts'
import { packUpload } from '../../cli/remote/pack-upload.ts'
import type { NodePlatform } from '../../shared/programs/hosts/binary-platform.ts'
import type { BlobHash, DeploymentId, StackId } from '../../shared/records/ids.ts'
import type { Command, DeploymentOptions } from '../../shared/records/log.ts'
import type { RequestEnd } from '../../shared/records/stack-request.ts'
import { withoutOperationOrigins } from '../../shared/state/pending.ts'
import { printEnvelope } from '../../shared/state/print-envelope.ts'
import type { StoredEnvelope } from '../../shared/state/stored.ts'
import type { LocalServices } from './services.ts'

/** A deployment to request. */
export interface RequestedDeployment {
  readonly stack: StackId
  readonly command: Command
  readonly program: BlobHash
  readonly parallel?: number
}

/**
 * A client that requests deployments of an installation from outside, through its stores and queues
 * only.
 */
export interface ControlClient {
  readonly platform: AwsPlatform
  /** Packs and uploads a program's folder. Throws ARCHIVE_*. */
  readonly upload: (folder: string) => Promise<BlobHash>
  /** Requests a deployment and sends a nudge. Returns the key of the request. */
  readonly requestDeployment: (deployment: RequestedDeployment) => Promise<string>
  /**
   * Waits for the end of a request. Returns the history entry of its deployment, or the end of a
   * request that started no deployment. Throws DEPLOYMENT_FAILED after `limitMs`.
   */
  readonly awaitEnd: (
    stack: StackId,
    key: string,
    limitMs: number,
  ) => Promise<HistoryRecord | RequestEnd>
  /** Returns the published snapshot of a stack as `stack export` prints it; '' if there is none. */
  readonly readSnapshot: (stack: StackId) => Promise<string>
  /** Returns the events of a deployment as lines of JSON. */
  readonly readEvents: (deployment: DeploymentId) => Promise<readonly string[]>
  readonly close: () => void
}

/** Maximum number of events per read. */
const eventsPerRead = 1_000

const allVariables = Object.keys(awsVariables) as AwsVariable[]

const readPlatform = async (): Promise<NodePlatform> => processPlatform

/** Opens a client for the services of an installation, with the credentials of this process. */
export function openControlClient(
  settings: AwsSettings,
  services: Pick<LocalServices, 'resourceVariables'>,
): ControlClient {
  const resources = readAwsResources(services.resourceVariables(allVariables, 'short'))
  const platform = createAwsPlatform({ settings, resources, logger: silentLogger })
  const { requests, nudges, catalog, blobs } = platform
  return {
    platform,
    upload: async folder => blobs.put((await packUpload(folder, readPlatform)).bytes),
    requestDeployment: async ({ stack, command, program, parallel }) => {
      const key = randomUUID()
      const requestedAt = platform.clock.now()
      const options = {
        ...defaultOptions,
        command,
        ...(parallel === undefined ? {} : { parallel }),
      }
      const programSource = { kind: 'archive', archive: program } as const
      const request = {
        stack,
        key,
        at: requestedAt,
        by: 'npm run cloud',
        dryRun: false,
        options,
        program: programSource,
      }
      await requests.putAuthorized(request)
      await nudges.nudge(stack, 0)
      return key
    },
    awaitEnd: async (stack, key, limitMs) => {
      const deadlineMs = performance.now() + limitMs
      for (;;) {
        const end = (await requests.find(stack, key))?.end
        if (end !== undefined && end.kind !== 'started') return end
        const record =
          end === undefined
            ? undefined
            : (await catalog.listHistory(stack, 10)).find(
                candidate => candidate.deployment === end.deployment,
              )
        if (record?.result !== undefined) return record
        if (performance.now() > deadlineMs)
          throw createError('DEPLOYMENT_FAILED', `${key} has not ended after ${limitMs} ms`)
        await sleep(localCloudLimits.deploymentPollMs)
      }
    },
    readSnapshot: async stack => {
      const { snapshot = '' } = (await catalog.getStack(stack)) ?? {}
      if (snapshot === '') return ''
      const envelope: unknown = JSON.parse(Buffer.from(await blobs.get(snapshot)).toString())
      const storedEnvelope = envelope as StoredEnvelope
      const { deployment } = storedEnvelope
      if (deployment === null) return ''
      return printEnvelope({ ...storedEnvelope, deployment: withoutOperationOrigins(deployment) })
    },
    readEvents: async deployment => {
      const lines: string[] = []
      for (let cursor = 0; ; ) {
        const page = await platform.events.read(deployment, cursor, eventsPerRead)
        lines.push(...page.events)
        if (!page.hasMore) return lines
        cursor = page.cursor
      }
    },
    close: platform.close,
  }
}

const defaultOptions: Omit<DeploymentOptions, 'command'> = {
  parallel: 16,
  refresh: false,
  continueOnError: false,
  execute: 'functions',
  message: '',
}
