import { type App, CfnOutput, Lazy, Stack, Tags } from 'aws-cdk-lib'
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets'
import { awsTags, installationNamesOf } from '../shared/config/aws-resource-names.ts'
import type { Assets } from './assets.ts'
import { type Addresses, createEndpoints } from './constructs/api.ts'
import { createData } from './constructs/data.ts'
import { createKeys } from './constructs/encryption.ts'
import { createFunctions, type Deployed, type Functions } from './constructs/functions.ts'
import { createLongPool } from './constructs/long-pool.ts'
import { createObservability } from './constructs/observability.ts'
import { createPart } from './constructs/create-part.ts'
import { createQueues } from './constructs/queues.ts'
import { createSchedules, scheduleRoleName } from './constructs/schedule.ts'
import { createPlaceVariables, type PlaceVariables } from './place-variables.ts'
import { type FunctionName, functionsTable } from './functions-table.ts'
import { imageLanguages, imagePackagesOf, imageToolsOf } from './image-languages.ts'
import { functionArnOf } from './names.ts'
import type { GrantContext } from './permissions.ts'
import type { Settings } from './settings.ts'

/** The two stacks of an installation. */
export interface Installation {
  /** Tables, bucket and keys. This stack is retained when the other one is deleted. */
  readonly data: Stack
  readonly main: Stack
}

/** Creates all resources of one installation. Their names begin with the installation's name. */
export function createInstallation(app: App, settings: Settings, assets: Assets): Installation {
  const names = installationNamesOf(settings.installation)
  const env = { region: settings.region }
  const data = new Stack(app, names.dataStack, {
    env,
    description: 'Antichain: tables, bucket and keys',
    // A protected stack can be deleted only after the protection was removed explicitly.
    terminationProtection: true,
  })
  const keys = createKeys(data, settings.installation)
  const stores = createData(data, settings, keys)
  const main = new Stack(app, names.stack, {
    env,
    description: 'Antichain: functions, queues, API, schedules, long pool, alarms',
  })
  const granted = {
    settings,
    keys,
    data: stores,
    queues: createQueues(main, settings.installation),
  }
  createParts(main, granted, assets)
  for (const stack of [data, main]) addTags(stack, settings)
  return { data, main }
}

function createParts(main: Stack, granted: GrantContext, assets: Assets): void {
  const { settings } = granted
  let addresses: Addresses | undefined
  const places = createInstallationPlaces(main, granted, () => addresses?.webhookUrl ?? '')
  const image = createImage(main, settings, assets)
  const functions = createFunctions(main, { ...granted, assets, image, places })
  const api = requireFunction(functions, 'api')
  addresses = createEndpoints(main, settings, {
    api,
    webhook: requireFunction(functions, 'webhook'),
  })
  const compaction = requireFunction(functions, 'compaction')
  createSchedules(main, {
    settings,
    addresses,
    api,
    schedule: requireFunction(functions, 'schedule'),
    compaction,
  })
  createLongPool(main, { ...granted, image, places })
  createObservability(main, { ...granted, functions })
  new CfnOutput(main, 'ApiUrl', { value: addresses.apiUrl })
  new CfnOutput(main, 'WebhookUrl', { value: addresses.webhookUrl })
}

function requireFunction(functions: Functions, name: FunctionName): Deployed {
  const found = functions.get(name)
  if (found === undefined) throw new Error(`the functions table has no row ${name}`)
  return found
}

/** Creates the image of the generator and of both kinds of long-pool tasks. */
function createImage(main: Stack, settings: Settings, assets: Assets): DockerImageAsset {
  const rows = functionsTable.filter(
    row => row.packaging === 'image' || row.longEntry !== undefined,
  )
  return new DockerImageAsset(createPart(main, 'Image'), 'Programs', {
    directory: assets.bundleImage(rows),
    platform: settings.architecture === 'arm64' ? Platform.LINUX_ARM64 : Platform.LINUX_AMD64,
    buildArgs: { PACKAGES: imagePackagesOf(imageLanguages), TOOLS: imageToolsOf(imageLanguages) },
  })
}

/**
 * Creates the values of the environment variables. Queues are given by their URLs, as SQS requires.
 */
function createInstallationPlaces(
  main: Stack,
  granted: GrantContext,
  webhookUrl: () => string,
): PlaceVariables {
  const { settings, keys, data, queues } = granted
  const names = installationNamesOf(settings.installation)
  return createPlaceVariables({
    installation: () => settings.installation,
    journalTable: () => data.journal.tableName,
    catalogTable: () => data.catalog.tableName,
    bucket: () => data.bucket.bucketName,
    chainsQueue: () => queues.chains.queue.queueUrl,
    chainsLongQueue: () => queues['chains-long'].queue.queueUrl,
    chainsDeadQueue: () => queues.chains.dead.queueUrl,
    chainsLongDeadQueue: () => queues['chains-long'].dead.queueUrl,
    nudgesQueue: () => queues.nudges.queue.queueUrl,
    nudgesLongQueue: () => queues['nudges-long'].queue.queueUrl,
    notificationsQueue: () => queues.notifications.queue.queueUrl,
    notificationsDeadQueue: () => queues.notifications.dead.queueUrl,
    key: () => keys.secrets.keyArn,
    scheduleGroup: () => names.scheduleGroup,
    scheduleRole: () =>
      main.formatArn({
        service: 'iam',
        region: '',
        resource: 'role',
        resourceName: scheduleRoleName(settings),
      }),
    scheduleFunction: () => functionArnOf(main, settings, 'schedule'),
    compactionFunction: () => functionArnOf(main, settings, 'compaction'),
    // The webhook API is created after the functions that need its address.
    webhookUrl: () => Lazy.string({ produce: webhookUrl }),
  })
}

function addTags(stack: Stack, settings: Settings): void {
  Tags.of(stack).add(awsTags.installation, settings.installation)
  for (const text of settings.tags) {
    const at = text.indexOf('=')
    Tags.of(stack).add(text.slice(0, at), text.slice(at + 1))
  }
}
