import { Duration, Fn, Stack } from 'aws-cdk-lib'
import {
  GatewayVpcEndpointAwsService,
  type IVpc,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2'
import type { DockerImageAsset } from 'aws-cdk-lib/aws-ecr-assets'
import {
  Cluster,
  ContainerImage,
  ContainerInsights,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  type ICluster,
  LogDriver,
  OperatingSystemFamily,
  PropagatedTagSource,
} from 'aws-cdk-lib/aws-ecs'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import {
  type LongQueueName,
  longPoolServices,
  roleNameOf,
  taskSizeVariables,
} from '../../shared/config/aws-resource-names.ts'
import {
  processVariables,
  type ResourceVariables,
  telemetryVariablesOf,
} from '../resource-variables.ts'
import type { FunctionRow } from '../function-row.ts'
import { functionsTable } from '../functions-table.ts'
import { logicalNameOf } from '../names.ts'
import { grantContextOfFunction, type GrantContext } from '../grant-context.ts'
import type { Settings } from '../settings.ts'
import { createLogs } from './functions.ts'
import { createTaggedScope } from './create-tagged-scope.ts'
import type { PrivateNetwork } from './private-network.ts'
import { createRole } from './roles.ts'

/** The input for creating the long pool. */
export interface LongPoolInput extends GrantContext {
  readonly image: DockerImageAsset
  readonly resourceVariables: ResourceVariables
  /** Absent: the long pool has a network of its own. */
  readonly network: PrivateNetwork | undefined
}

/** The row of a function that also has tasks in the long pool. */
type LongPoolRow = FunctionRow & { readonly longQueue: LongQueueName }

/** Time for a task to shut down, in seconds: the maximum of ECS. */
const shutdownSeconds = 120
/** Scratch space of a task for programs and plugins, in GiB. The minimum of Fargate is 20. */
export const longPoolScratchGib = 40

/**
 * Creates one ECS service for executors without a time limit, and one for generators. The scaler
 * sets the number of tasks of each service, which is 0 while it is idle. The template has no number
 * of tasks, because an upgrade would replace the scaler's number by it. So a new service begins
 * with the default of ECS, one task. Without a VPC in the settings, the tasks have public
 * addresses, because a NAT gateway is billed by the hour. Tasks accept no connections. Returns the
 * network of the tasks.
 */
export function createLongPool(scope: Construct, input: LongPoolInput): PrivateNetwork {
  const part = createTaggedScope(scope, 'LongPool')
  const { installation } = input.settings
  const network = input.network ?? createOwnNetwork(part, installation)
  const cluster = new Cluster(part, 'Cluster', {
    clusterName: installation,
    vpc: network.vpc,
    containerInsightsV2: ContainerInsights.DISABLED,
  }) as ICluster
  for (const row of functionsTable)
    if (row.longQueue !== undefined)
      createTaskService(part, input, { cluster, network }, { ...row, longQueue: row.longQueue })
  return network
}

/** Creates the network of an installation that has no VPC in its settings. */
function createOwnNetwork(part: Construct, installation: string): PrivateNetwork {
  // The cast is necessary, because the class and the interface declare optional fields differently.
  const vpc = new Vpc(part, 'Vpc', {
    vpcName: installation,
    // Availability zones are chosen at deployment, because a list by name would need a lookup.
    availabilityZones: [0, 1].map(index => Fn.select(index, Fn.getAzs())),
    natGateways: 0,
    subnetConfiguration: [{ name: 'public', subnetType: SubnetType.PUBLIC, cidrMask: 24 }],
    // To change the unused default security group, the CDK would create an additional function.
    restrictDefaultSecurityGroup: false,
    gatewayEndpoints: {
      S3: { service: GatewayVpcEndpointAwsService.S3 },
      DynamoDb: { service: GatewayVpcEndpointAwsService.DYNAMODB },
    },
  }) as IVpc
  const securityGroup = new SecurityGroup(part, 'Wall', {
    vpc,
    description: `${installation}: allows outbound connections of tasks only`,
    allowAllOutbound: true,
  })
  return { vpc, subnets: vpc.publicSubnets, securityGroups: [securityGroup] }
}

/** Reports whether tasks have public addresses. By default they do if the settings name no VPC. */
const hasPublicAddresses = ({ vpc, publicAddresses }: Settings): boolean =>
  publicAddresses === undefined ? vpc === undefined : publicAddresses === 'on'

function createTaskService(
  part: Construct,
  input: LongPoolInput,
  { cluster, network }: { readonly cluster: ICluster; readonly network: PrivateNetwork },
  row: LongPoolRow,
): void {
  const id = `Long${logicalNameOf(row.name)}`
  const { settings } = input
  const taskDefinition = createTaskDefinition(part, input, row)
  const service = new FargateService(part, `${id}Service`, {
    serviceName: longPoolServices[row.longQueue],
    cluster,
    taskDefinition,
    assignPublicIp: hasPublicAddresses(settings),
    vpcSubnets: { subnets: [...network.subnets] },
    securityGroups: [...network.securityGroups],
    minHealthyPercent: 0,
    maxHealthyPercent: 200,
    circuitBreaker: { rollback: true },
    // Without tags, the tasks would be missing in bills by tag.
    propagateTags: PropagatedTagSource.SERVICE,
  })
  // A task protects itself while it works, so that scale-in does not stop it.
  service.taskDefinition.taskRole.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['ecs:UpdateTaskProtection', 'ecs:GetTaskProtection'],
      resources: [
        Stack.of(part).formatArn({
          service: 'ecs',
          resource: 'task',
          resourceName: `${settings.installation}/*`,
        }),
      ],
    }),
  )
}

function createTaskDefinition(
  part: Construct,
  input: LongPoolInput,
  row: LongPoolRow,
): FargateTaskDefinition {
  const id = `Long${logicalNameOf(row.name)}`
  const name = `long-${row.name}`
  const { settings, image } = input
  const { installation } = settings
  const logs = createLogs(part, `${id}Logs`, name, settings)
  const principal = new ServicePrincipal('ecs-tasks.amazonaws.com')
  const startRole = new Role(part, `${id}StartRole`, {
    // In a group, the name would be too long, so CloudFormation generates one. No trust policy
    // names it.
    ...(input.installationSettings.installation === installation
      ? { roleName: roleNameOf(installation, `${name}-start`, Stack.of(part).region) }
      : {}),
    description: `${installation}: starts tasks of ${name}`,
    assumedBy: principal,
  })
  const task = new FargateTaskDefinition(part, `${id}Task`, {
    family: `${installation}-${name}`,
    cpu: settings.longCpu,
    memoryLimitMiB: settings.longMb,
    ephemeralStorageGiB: longPoolScratchGib,
    runtimePlatform: {
      operatingSystemFamily: OperatingSystemFamily.LINUX,
      cpuArchitecture:
        settings.architecture === 'arm64' ? CpuArchitecture.ARM64 : CpuArchitecture.X86_64,
    },
    executionRole: startRole,
    taskRole: createRole(part, `${id}Role`, {
      name,
      principal,
      grantContext: grantContextOfFunction(input, row),
      grants: row.grants,
      queue: row.longQueue,
      logs,
    }),
  })
  task.addContainer('Main', {
    image: ContainerImage.fromDockerImageAsset(image),
    entryPoint: ['/var/lang/bin/node'],
    command: [`/var/task/${row.name}/long.mjs`],
    // A numeric user, because the user of Lambda's sandbox has no name in the image.
    user: '1000',
    environment: {
      ...processVariables,
      ...input.resourceVariables([...row.variables, 'nudgesLongQueue'], 'long'),
      ...telemetryVariablesOf(settings, row),
      [taskSizeVariables.cpuUnits]: String(settings.longCpu),
      [taskSizeVariables.memoryMb]: String(settings.longMb),
    },
    logging: LogDriver.awsLogs({ logGroup: logs, streamPrefix: name }),
    stopTimeout: Duration.seconds(shutdownSeconds),
  })
  return task
}
