import * as z from 'zod'
import { endpointServices } from '../shared/config/endpoint-services.ts'
import { commaSeparatedList } from './comma-separated-list.ts'

export type GatewayService = (typeof endpointServices.gateway)[number]
export type InterfaceService = (typeof endpointServices.interface)[number]

const createIdList = (prefix: string) =>
  commaSeparatedList.pipe(
    z.array(
      z.string().regex(new RegExp(`^${prefix}-[0-9a-f]{8,17}$`), `ids of the form ${prefix}-…`),
    ),
  )

/** The forms of the settings of a private network. */
export const networkSettingForms = {
  /** The id of an existing VPC for functions and tasks. Absent: functions are outside of a VPC. */
  vpc: z
    .string()
    .regex(/^vpc-[0-9a-f]{8,17}$/, 'the id of a VPC, such as vpc-0123456789abcdef0')
    .optional(),
  /** The ids of subnets of the VPC, separated by commas. */
  subnets: createIdList('subnet'),
  /** The ids of security groups. Empty: the installation creates one for outbound connections. */
  securityGroups: createIdList('sg'),
  /** Whether tasks of the long pool have public addresses. Absent: only without a VPC. */
  publicAddresses: z.enum(['on', 'off']).optional(),
  /** The services for which the installation creates endpoints in the VPC. */
  endpoints: commaSeparatedList.pipe(
    z.array(z.enum([...endpointServices.gateway, ...endpointServices.interface])),
  ),
  /** The ids of route tables, for the endpoints of S3 and DynamoDB. */
  routeTables: createIdList('rtb'),
}

/** The settings of a private network. */
export type NetworkSettings = z.infer<z.ZodObject<typeof networkSettingForms>>

/** A setting that does not fit the others, and the reason. */
export interface SettingConflict {
  readonly name: keyof NetworkSettings
  readonly message: string
}

/** Returns the conflicts between the settings of a private network. */
export function findNetworkConflicts(settings: NetworkSettings): readonly SettingConflict[] {
  const { vpc, subnets, publicAddresses, endpoints, routeTables } = settings
  const gatewayNames: readonly string[] = endpointServices.gateway
  const hasGateway = endpoints.some(name => gatewayNames.includes(name))
  const conflictsWithoutVpc = (['subnets', 'securityGroups', 'endpoints', 'routeTables'] as const)
    .filter(name => vpc === undefined && settings[name].length > 0)
    .map(name => ({ name, message: 'this setting needs the setting vpc' }))
  const conflicts: readonly (SettingConflict | false)[] = [
    vpc !== undefined &&
      subnets.length === 0 && { name: 'subnets', message: 'a VPC needs at least one subnet' },
    vpc === undefined &&
      publicAddresses === 'off' && {
        name: 'publicAddresses',
        message:
          'publicAddresses=off needs the setting vpc: outside a VPC, tasks reach AWS by public addresses',
      },
    hasGateway &&
      routeTables.length === 0 && {
        name: 'routeTables',
        message: 'the endpoints of s3 and dynamodb need the route tables of the subnets',
      },
    !hasGateway &&
      routeTables.length > 0 && {
        name: 'routeTables',
        message: 'only the endpoints of s3 and dynamodb use route tables',
      },
  ]
  return vpc === undefined && conflictsWithoutVpc.length > 0
    ? conflictsWithoutVpc
    : conflicts.filter(conflict => conflict !== false)
}
