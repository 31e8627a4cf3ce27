import { type App, CfnOutput, Lazy, Stack, Tags } from 'aws-cdk-lib'
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets'
import { awsTags, namesOf } from '../shared/config/aws-places.ts'
import type { Assets } from './assets.ts'
import { type Addresses, createApi } from './constructs/api.ts'
import { createData } from './constructs/data.ts'
import { createKeys } from './constructs/encryption.ts'
import { createFunctions, type Deployed, type Functions } from './constructs/functions.ts'
import { createLongPool } from './constructs/long-pool.ts'
import { createObservability } from './constructs/observability.ts'
import { part } from './constructs/part.ts'
import { createQueues } from './constructs/queues.ts'
import { createSchedules, scheduleRoleName } from './constructs/schedule.ts'
import { createPlaces, type Places } from './environment.ts'
import { type FunctionName, functionsTable } from './functions-table.ts'
import { imageLanguages, imagePackages, imageTools } from './image-languages.ts'
import { functionArn } from './names.ts'
import type { Granted } from './permissions.ts'
import type { Settings } from './settings.ts'

/** The two stacks of an installation. */
export interface Installation {
  /** Tables, bucket and keys: stays when the other goes. */
  readonly data: Stack
  readonly main: Stack
}

/** Everything of one installation. What it is called begins with the installation's name. */
export function createInstallation(app: App, settings: Settings, assets: Assets): Installation {
  const names = namesOf(settings.installation)
  const env = { region: settings.region }
  const data = new Stack(app, names.dataStack, {
    env,
    description: 'Antichain: tables, bucket and keys',
    // A protected stack is deleted by nobody who did not say so first.
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
  for (const stack of [data, main]) tag(stack, settings)
  return { data, main }
}

function createParts(main: Stack, granted: Granted, assets: Assets): void {
  const { settings } = granted
  let addresses: Addresses | undefined
  const places = placesOf(main, granted, () => addresses?.webhookUrl ?? '')
  const image = createImage(main, settings, assets)
  const functions = createFunctions(main, { ...granted, assets, image, places })
  const api = of(functions, 'api')
  addresses = createApi(main, settings, { api, webhook: of(functions, 'webhook') })
  const compaction = of(functions, 'compaction')
  createSchedules(main, {
    settings,
    addresses,
    api,
    schedule: of(functions, 'schedule'),
    compaction,
  })
  createLongPool(main, { ...granted, image, places })
  createObservability(main, { ...granted, functions })
  new CfnOutput(main, 'ApiUrl', { value: addresses.apiUrl })
  new CfnOutput(main, 'WebhookUrl', { value: addresses.webhookUrl })
}

function of(functions: Functions, name: FunctionName): Deployed {
  const found = functions.get(name)
  if (found === undefined) throw new Error(`the table of functions has no ${name}`)
  return found
}

/** The image of the generator and of both kinds of tasks of the long pool. */
function createImage(main: Stack, settings: Settings, assets: Assets): DockerImageAsset {
  const rows = functionsTable.filter(
    row => row.packaging === 'image' || row.longEntry !== undefined,
  )
  return new DockerImageAsset(part(main, 'Image'), 'Programs', {
    directory: assets.image(rows),
    platform: settings.architecture === 'arm64' ? Platform.LINUX_ARM64 : Platform.LINUX_AMD64,
    buildArgs: { PACKAGES: imagePackages(imageLanguages), TOOLS: imageTools(imageLanguages) },
  })
}

/** What the environment variables are set to; queues by their addresses, as SQS wants them. */
function placesOf(main: Stack, granted: Granted, webhookUrl: () => string): Places {
  const { settings, keys, data, queues } = granted
  const names = namesOf(settings.installation)
  return createPlaces({
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
    scheduleFunction: () => functionArn(main, settings, 'schedule'),
    compactionFunction: () => functionArn(main, settings, 'compaction'),
    // The API of webhooks is made after the functions that must know it.
    webhookUrl: () => Lazy.string({ produce: webhookUrl }),
  })
}

function tag(stack: Stack, settings: Settings): void {
  Tags.of(stack).add(awsTags.installation, settings.installation)
  for (const text of settings.tags) {
    const at = text.indexOf('=')
    Tags.of(stack).add(text.slice(0, at), text.slice(at + 1))
  }
}
