import { Duration, RemovalPolicy, Size, Stack } from 'aws-cdk-lib'
import { type Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { DockerImageAsset } from 'aws-cdk-lib/aws-ecr-assets'
import {
  Architecture,
  Code,
  DockerImageCode,
  DockerImageFunction,
  Function as LambdaFunction,
  type FunctionOptions,
  RecursiveLoop,
  Runtime,
  TenancyConfig,
} from 'aws-cdk-lib/aws-lambda'
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { type Assets, handlerName } from '../assets.ts'
import {
  processVariables,
  type ResourceVariables,
  publicUrlVariablesOf,
  telemetryVariablesOf,
} from '../resource-variables.ts'
import type { FunctionName, FunctionRow } from '../function-row.ts'
import { functionsTable } from '../functions-table.ts'
import { canInvokeItself } from '../invocation-loops.ts'
import { functionArnOf, logicalNameOf } from '../names.ts'
import { grantContextOfFunction, type GrantContext } from '../grant-context.ts'
import type { Settings } from '../settings.ts'
import { createTaggedScope } from './create-tagged-scope.ts'
import type { PrivateNetwork } from './private-network.ts'
import { createRole } from './roles.ts'

/** A function with its role and its log. */
export interface DeployedFunction {
  readonly row: FunctionRow
  readonly function: LambdaFunction
  readonly role: Role
  readonly logs: LogGroup
}
/** The functions of an installation by name. */
export type Functions = ReadonlyMap<FunctionName, DeployedFunction>

/** The input for creating functions. */
export interface FunctionsInput extends GrantContext {
  readonly assets: Assets
  readonly image: DockerImageAsset
  readonly resourceVariables: ResourceVariables
  /** The network of the functions. Absent: they are outside of any VPC. */
  readonly network: PrivateNetwork | undefined
}

/**
 * Creates the functions of some rows, each with a role, a log, and an event source for each of its
 * queues.
 */
export function createFunctions(
  scope: Construct,
  input: FunctionsInput,
  rows: readonly FunctionRow[] = functionsTable,
): Functions {
  const part = createTaggedScope(scope, 'Functions')
  return new Map(
    rows.map(row => [row.name, createFunction(part, grantContextOfFunction(input, row), row)]),
  )
}

/** Creates a log group with a retention time. The log group is deleted with the installation. */
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

function createFunction(
  part: Construct,
  input: FunctionsInput,
  row: FunctionRow,
): DeployedFunction {
  const { settings } = input
  const network = row.isOutsideVpc === true ? undefined : input.network
  const id = logicalNameOf(row.name)
  const logs = createLogs(part, `${id}Logs`, row.name, settings)
  const role = createRole(part, `${id}Role`, {
    name: row.name,
    principal: new ServicePrincipal('lambda.amazonaws.com'),
    grantContext: input,
    grants: row.grants,
    ...(row.consumes === undefined ? {} : { queue: row.consumes.queue }),
    logs,
    ...(network === undefined
      ? {}
      : { networkFunctionArn: functionArnOf(Stack.of(part), settings, row.name) }),
  })
  const reservedConcurrency = row.reservedConcurrency?.(settings) ?? 0
  const options: FunctionOptions = {
    functionName: `${settings.installation}-${row.name}`,
    description: `${settings.installation}: ${row.name}`,
    architecture: settings.architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
    memorySize: row.memoryMb(settings),
    timeout: Duration.seconds(row.timeoutSeconds),
    ...(row.scratchMb === undefined
      ? {}
      : { ephemeralStorageSize: Size.mebibytes(row.scratchMb(settings)) }),
    // For Lambda, a reservation of 0 would mean that the function may not run.
    ...(reservedConcurrency === 0 ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
    environment: {
      ...processVariables,
      ...input.resourceVariables(row.variables, 'short'),
      ...telemetryVariablesOf(settings, row),
      ...publicUrlVariablesOf(settings, row),
    },
    ...(row.isolatesTenants === true ? { tenancyConfig: TenancyConfig.PER_TENANT } : {}),
    ...networkOptionsOf(network),
    // By default Lambda stops a chain of invocations through queues after about 16 invocations.
    recursiveLoop: canInvokeItself(row.name) ? RecursiveLoop.ALLOW : RecursiveLoop.TERMINATE,
    role,
    logGroup: logs,
  }
  const lambdaFunction =
    row.packaging === 'image'
      ? createImageFunction(part, input, id, { row, options })
      : new LambdaFunction(part, id, {
          ...options,
          runtime: Runtime.NODEJS_24_X,
          handler: handlerName,
          code: Code.fromAsset(input.assets.bundleFunction(row)),
        })
  for (const { queues } of [input, ...input.otherGroups])
    addQueueSource({ queues, settings }, row, lambdaFunction)
  return { row, function: lambdaFunction, role, logs }
}

/** Returns the options of a function in a network. */
function networkOptionsOf(
  network: PrivateNetwork | undefined,
): Pick<FunctionOptions, 'vpc' | 'vpcSubnets' | 'securityGroups'> {
  if (network === undefined) return {}
  const { vpc, subnets, securityGroups } = network
  return { vpc, vpcSubnets: { subnets: [...subnets] }, securityGroups: [...securityGroups] }
}

function createImageFunction(
  part: Construct,
  { image }: FunctionsInput,
  id: string,
  { row, options }: { readonly row: FunctionRow; readonly options: FunctionOptions },
): LambdaFunction {
  return new DockerImageFunction(part, id, {
    ...options,
    code: DockerImageCode.fromEcr(image.repository, {
      tagOrDigest: image.imageTag,
      cmd: [`${row.name}/${handlerName}`],
    }),
  })
}

/**
 * Adds the event source of a row, if it has one. Its maximum concurrency limits the calls. Reserved
 * concurrency would instead refuse calls, and each refusal counts as a delivery.
 */
function addQueueSource(
  { queues, settings }: Pick<GrantContext, 'queues' | 'settings'>,
  row: FunctionRow,
  target: LambdaFunction,
): void {
  if (row.consumes === undefined) return
  const { queue, batchSize, concurrencyMax } = row.consumes
  target.addEventSource(
    new SqsEventSource(queues[queue].queue, {
      batchSize,
      reportBatchItemFailures: true,
      ...(concurrencyMax === undefined ? {} : { maxConcurrency: concurrencyMax(settings) }),
    }),
  )
}
