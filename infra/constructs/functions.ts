import { Duration, RemovalPolicy, Size } from 'aws-cdk-lib'
import { type Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { DockerImageAsset } from 'aws-cdk-lib/aws-ecr-assets'
import {
  Architecture,
  Code,
  DockerImageCode,
  DockerImageFunction,
  Function as LambdaFunction,
  type FunctionOptions,
  Runtime,
} from 'aws-cdk-lib/aws-lambda'
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { type Assets, handlerName } from '../assets.ts'
import type { Places } from '../environment.ts'
import { type FunctionName, type FunctionRow, functionsTable } from '../functions-table.ts'
import { logicalName } from '../names.ts'
import type { Granted } from '../permissions.ts'
import type { Settings } from '../settings.ts'
import { part } from './part.ts'
import { createRole } from './roles.ts'

/** A function with its role and its log. */
export interface Deployed {
  readonly row: FunctionRow
  readonly function: LambdaFunction
  readonly role: Role
  readonly logs: LogGroup
}
export type Functions = ReadonlyMap<FunctionName, Deployed>

/** Everything that functions are made from. */
export interface FunctionsAbout extends Granted {
  readonly assets: Assets
  readonly image: DockerImageAsset
  readonly places: Places
}

/** The functions of the table, each with a role, a log and, where it has one, its event source. */
export function createFunctions(scope: Construct, about: FunctionsAbout): Functions {
  const group = part(scope, 'Functions')
  return new Map(functionsTable.map(row => [row.name, createFunction(group, about, row)]))
}

/** A log that ends after a time and goes with the installation. */
export function createLogs(
  scope: Construct,
  id: string,
  name: string,
  settings: Settings,
): LogGroup {
  return new LogGroup(scope, id, {
    logGroupName: `/antichain/${settings.installation}/${name}`,
    retention: settings.logDays,
    removalPolicy: RemovalPolicy.DESTROY,
  })
}

function createFunction(group: Construct, about: FunctionsAbout, row: FunctionRow): Deployed {
  const { settings } = about
  const id = logicalName(row.name)
  const logs = createLogs(group, `${id}Logs`, row.name, settings)
  const role = createRole(group, `${id}Role`, {
    part: row.name,
    principal: new ServicePrincipal('lambda.amazonaws.com'),
    granted: about,
    grants: row.grants,
    ...(row.consumes === undefined ? {} : { queue: row.consumes.queue }),
    logs,
  })
  const options: FunctionOptions = {
    functionName: `${settings.installation}-${row.name}`,
    description: `${settings.installation}: ${row.name}`,
    architecture: settings.architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
    memorySize: row.memoryMb(settings),
    timeout: Duration.seconds(row.timeoutSeconds),
    ...(row.scratchMb === undefined
      ? {}
      : { ephemeralStorageSize: Size.mebibytes(row.scratchMb(settings)) }),
    environment: { ...about.places(row.places, 'short') },
    role,
    logGroup: logs,
  }
  const deployed =
    row.packaging === 'image'
      ? imageFunction(group, about, id, options)
      : new LambdaFunction(group, id, {
          ...options,
          runtime: Runtime.NODEJS_24_X,
          handler: handlerName,
          code: Code.fromAsset(about.assets.code(row)),
        })
  addSource(about, row, deployed)
  return { row, function: deployed, role, logs }
}

function imageFunction(
  group: Construct,
  { image }: FunctionsAbout,
  id: string,
  options: FunctionOptions,
): LambdaFunction {
  return new DockerImageFunction(group, id, {
    ...options,
    code: DockerImageCode.fromEcr(image.repository, { tagOrDigest: image.imageTag }),
  })
}

/**
 * Maximum concurrency bounds how many are asked for; reserved concurrency would let more be asked
 * for and refuse them, and each refusal counts as a delivery.
 */
function addSource({ queues, settings }: Granted, row: FunctionRow, to: LambdaFunction): void {
  if (row.consumes === undefined) return
  const { queue, batchSize, concurrencyMax } = row.consumes
  to.addEventSource(
    new SqsEventSource(queues[queue].queue, {
      batchSize,
      reportBatchItemFailures: true,
      ...(concurrencyMax === undefined ? {} : { maxConcurrency: concurrencyMax(settings) }),
    }),
  )
}
