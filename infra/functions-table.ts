import { programLimits } from '../shared/config/program-limits.ts'
import { pluginFiles, runnerFiles } from './bundled-files.ts'
import type { FunctionRow } from './function-row.ts'
import {
  apiPartitions,
  deniedPartitions,
  generatorDeniedPartitions,
  requestPartitions,
  servicePartitions,
} from './partition-grants.ts'
import { computeReservations } from './reserved-concurrency.ts'
import {
  commonVariables,
  groupVariables,
  queueVariables,
  storeVariables,
} from './variable-lists.ts'

/** Maximum time limit of a Lambda function, in seconds. */
const lambdaLimitSeconds = 900
/** Every function of an installation. */
export const functionsTable: readonly FunctionRow[] = [
  {
    name: 'webhook',
    entry: 'functions/webhook/main.ts',
    packaging: 'zip',
    memoryMb: () => 512,
    sendsTelemetry: true,
    timeoutSeconds: 25,
    reservedConcurrency: settings => computeReservations(settings).webhook,
    variables: [
      ...commonVariables,
      ...groupVariables,
      ...(['catalogTable', 'nudgesQueue', 'secretsKey'] as const),
    ],
    grants: {
      catalogPartitions: {
        reads: [...requestPartitions, 'stacks', 'webhooks'],
        writes: requestPartitions,
      },
      sends: ['nudges'],
      triggerSecrets: 'open',
    },
  },
  {
    // Serves due schedules, and delivers notifications.
    name: 'schedule',
    entry: 'functions/schedule/main.ts',
    packaging: 'zip',
    memoryMb: () => 512,
    sendsTelemetry: true,
    timeoutSeconds: 60,
    consumes: { queue: 'notifications', batchSize: 5, concurrencyMax: () => 5 },
    variables: [
      ...commonVariables,
      ...groupVariables,
      ...(['catalogTable', 'secretsKey'] as const),
      ...(['nudgesQueue', 'notificationsQueue', 'scheduleGroup', 'apiUrl'] as const),
    ],
    grants: {
      catalogPartitions: {
        // Replies to pull requests use the credential of the webhook.
        reads: [
          ...requestPartitions,
          ...(['stacks', 'stackList', 'stackSettings', 'webhooks', 'schedules'] as const),
          ...(['notifications', 'deliveryHistories'] as const),
        ],
        writes: [...requestPartitions, 'schedules', 'deliveryHistories'],
      },
      sends: ['nudges', 'notifications'],
      triggerSecrets: 'open',
      schedules: 'remove',
    },
  },
  {
    name: 'api',
    entry: 'functions/api/main.ts',
    packaging: 'zip',
    extraFolders: { dashboard: '.cache/dashboard' },
    memoryMb: ({ apiMb }) => apiMb,
    sendsTelemetry: true,
    // An event stream lasts `apiLimits.streamMs`, and then its reader reconnects.
    timeoutSeconds: 300,
    reservedConcurrency: settings => computeReservations(settings).api,
    variables: [
      ...commonVariables,
      ...storeVariables,
      ...queueVariables,
      ...groupVariables,
      'notificationsQueue',
      'notificationsDeadQueue',
      'secretsKey',
      'scheduleGroup',
      'scheduleRole',
      'scheduleFunction',
      'scalerFunction',
      'streamsMax',
      'webhookUrl',
      'serviceUrl',
    ],
    grants: {
      journalTable: 'read',
      // To cancel a deployment, the API raises the stop flag in the control record. The API also
      // records the usage of event streams.
      journalPartitions: { reads: [], writes: ['controls', 'usage'] },
      catalogPartitions: apiPartitions,
      reads: ['blobs', 'plugins'],
      // Programs and plugins are uploaded to signed addresses, which carry the API's permissions.
      creates: ['blobs', 'plugins'],
      sends: ['nudges', 'chains', 'chains-long', 'notifications'],
      // The health page shows the depth of each queue.
      readsDepthsOfSends: true,
      redrives: ['chains', 'chains-long', 'notifications'],
      // A redrive sends messages to the long pool.
      calls: ['scaler'],
      triggerSecrets: 'seal',
      schedules: 'create',
    },
  },
  {
    // Serves Pulumi's own command line. It has another role than the API, because it writes the
    // journals of Pulumi's clients.
    name: 'service',
    entry: 'functions/service/main.ts',
    packaging: 'zip',
    memoryMb: ({ apiMb }) => apiMb,
    sendsTelemetry: true,
    // The report of an update's end waits for compaction.
    timeoutSeconds: 300,
    reservedConcurrency: settings => computeReservations(settings).service,
    variables: [
      ...commonVariables,
      ...storeVariables,
      ...queueVariables,
      ...groupVariables,
      'compactionFunction',
      'apiFunction',
      'secretsKey',
      'scheduleGroup',
      'scheduleRole',
      'scheduleFunction',
    ],
    grants: {
      journalTable: 'read',
      journalPartitions: { reads: [], writes: ['controls', 'logs', 'events', 'eventWriters'] },
      catalogPartitions: servicePartitions,
      reads: ['blobs'],
      creates: ['blobs'],
      sends: ['nudges'],
      serviceKeys: 'create',
      schedules: 'create',
      // This function may not write tokens or use secrets of webhooks. It forwards requests for
      // these actions to the API.
      calls: ['compaction', 'api'],
    },
  },
  {
    name: 'step-generator',
    entry: 'functions/step-generator/main.ts',
    longEntry: 'functions/step-generator/long-pool-task.ts',
    packaging: 'image',
    isPerGroup: true,
    memoryMb: ({ generatorMb }) => generatorMb,
    sendsTelemetry: true,
    scratchMb: ({ scratchMb }) => scratchMb,
    timeoutSeconds: lambdaLimitSeconds,
    extraFiles: [...pluginFiles, ...runnerFiles],
    consumes: {
      queue: 'nudges',
      batchSize: 1,
      concurrencyMax: ({ generatorsMax }) => generatorsMax,
    },
    longQueue: 'nudges-long',
    variables: [
      ...commonVariables,
      ...storeVariables,
      ...queueVariables,
      'notificationsQueue',
      'compactionFunction',
      'installerFunction',
      'scalerFunction',
      'secretsKey',
      'inlineMax',
      'groups',
    ],
    grants: {
      journalTable: 'remove',
      catalogTable: 'remove',
      deniedPartitions: generatorDeniedPartitions,
      reads: ['blobs', 'plugins', 'installs'],
      puts: ['blobs'],
      // The installer uploads to signed addresses, which carry the permissions of the generator.
      // A generator stores plugins of allowed sources, and replaces none.
      creates: ['installs', 'plugins'],
      sends: ['chains', 'chains-long', 'nudges', 'nudges-long', 'notifications'],
      triggerSecrets: 'open',
      stackSecrets: 'replace',
      serviceKeys: 'open',
      assumesDeploymentRoles: true,
      calls: ['compaction', 'installer', 'scaler'],
    },
  },
  {
    name: 'step-executor',
    entry: 'functions/step-executor/main.ts',
    longEntry: 'functions/step-executor/long-pool-task.ts',
    packaging: 'zip',
    isPerGroup: true,
    memoryMb: ({ executorMb }) => executorMb,
    sendsTelemetry: true,
    scratchMb: ({ scratchMb }) => scratchMb,
    timeoutSeconds: lambdaLimitSeconds,
    extraFiles: pluginFiles,
    // A message names up to 64 operations: as many as one executor runs concurrently.
    consumes: {
      queue: 'chains',
      batchSize: 1,
      concurrencyMax: ({ executorsMax }) => executorsMax,
    },
    longQueue: 'chains-long',
    variables: [
      ...commonVariables,
      ...storeVariables,
      ...queueVariables,
      'scalerFunction',
      'secretsKey',
      'groups',
    ],
    grants: {
      journalTable: 'write',
      catalogTable: 'read',
      deniedPartitions,
      reads: ['blobs', 'plugins'],
      puts: ['blobs'],
      sends: ['chains', 'chains-long', 'nudges'],
      stackSecrets: 'open',
      serviceKeys: 'open',
      assumesDeploymentRoles: true,
      calls: ['scaler'],
    },
  },
  {
    // Runs the scripts of packages. It has no permission except for its log, so scripts that find
    // its credentials can do nothing with them.
    name: 'installer',
    entry: 'functions/installer/main.ts',
    packaging: 'image',
    memoryMb: ({ generatorMb }) => generatorMb,
    scratchMb: ({ scratchMb }) => scratchMb,
    timeoutSeconds: programLimits.installerTimeoutMs / 1_000,
    isolatesTenants: true,
    variables: [],
    grants: {},
  },
  {
    name: 'compaction',
    entry: 'functions/compaction/main.ts',
    packaging: 'zip',
    isPerGroup: true,
    memoryMb: ({ compactionMb }) => compactionMb,
    sendsTelemetry: true,
    timeoutSeconds: lambdaLimitSeconds,
    variables: [
      ...commonVariables,
      ...storeVariables,
      ...queueVariables,
      'notificationsQueue',
      'secretsKey',
    ],
    grants: {
      journalTable: 'remove',
      catalogTable: 'remove',
      deniedPartitions,
      reads: ['blobs'],
      puts: ['blobs'],
      sweeps: ['blobs'],
      sends: ['nudges'],
      countsDeadLetters: true,
    },
  },
  {
    // Reads the depths of two queues, and sets the numbers of tasks of the long pools. It gets no
    // data of users and runs none of their code.
    name: 'scaler',
    entry: 'functions/scaler/main.ts',
    packaging: 'zip',
    isPerGroup: true,
    memoryMb: () => 256,
    timeoutSeconds: 60,
    isOutsideVpc: true,
    variables: [...commonVariables, 'chainsLongQueue', 'nudgesLongQueue', 'longTasksMax'],
    grants: { scalesLongPool: true },
  },
]

/** The functions that each group of stacks has for itself. */
export const groupRows = functionsTable.filter(({ isPerGroup }) => isPerGroup === true)
