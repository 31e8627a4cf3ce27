import { describe, expect, test } from 'vitest'
import { functionsTable } from '../../infra/functions-table.ts'
import { readInstallationSettings } from '../../infra/settings.ts'
import { synthesise, toContext } from './synthesise.ts'

const network = {
  vpc: 'vpc-0123456789abcdef0',
  subnets: 'subnet-0123456789abcdef0, subnet-0123456789abcdef1',
}

describe('an installation in a VPC', () => {
  const templates = synthesise({
    ...network,
    endpoints: 's3,dynamodb,sqs,ecr.api',
    routeTables: 'rtb-0123456789abcdef0',
  })
  const list = (type: string): readonly Readonly<Record<string, unknown>>[] =>
    [...templates.resources(type).values()].map(({ Properties }) => Properties)
  const subnetIds = network.subnets.split(', ')

  test('has all functions but the scaler in the subnets, with outbound connections only', () => {
    const all = list('AWS::Lambda::Function')
    expect(all).toHaveLength(functionsTable.length)
    const functions = all.filter(({ FunctionName }) => FunctionName !== 'antichain-scaler')
    expect(functions).toHaveLength(functionsTable.length - 1)
    expect(all.filter(({ VpcConfig }) => VpcConfig === undefined)).toHaveLength(1)
    for (const { VpcConfig } of functions) expect(VpcConfig).toMatchObject({ SubnetIds: subnetIds })
    const groups = list('AWS::EC2::SecurityGroup')
    expect(groups.map(({ SecurityGroupIngress }) => SecurityGroupIngress)).toEqual([
      undefined,
      undefined,
    ])
  })

  test('has no network of its own, and tasks without public addresses', () => {
    expect(list('AWS::EC2::VPC')).toEqual([])
    expect(list('AWS::EC2::Subnet')).toEqual([])
    for (const { NetworkConfiguration } of list('AWS::ECS::Service'))
      expect(NetworkConfiguration).toMatchObject({
        AwsvpcConfiguration: { AssignPublicIp: 'DISABLED', Subnets: subnetIds },
      })
  })

  test('lets Lambda attach functions, and denies this to their code', () => {
    for (const { name } of functionsTable.filter(({ isOutsideVpc }) => isOutsideVpc !== true)) {
      const attach = { actions: expect.arrayContaining(['ec2:CreateNetworkInterface']) }
      expect(templates.listAllowStatements(name)).toContainEqual(expect.objectContaining(attach))
      const denial = templates
        .listDenyStatements(name)
        .find(({ actions }) => actions.includes('ec2:CreateNetworkInterface'))
      const condition = JSON.stringify(denial?.conditions['ArnEquals'])
      expect(condition).toContain(`function:antichain-${name}"`)
    }
  })

  test('has the requested endpoints, which accept only functions and tasks', () => {
    const endpoints = list('AWS::EC2::VPCEndpoint').map(
      ({ ServiceName, VpcEndpointType, RouteTableIds, PrivateDnsEnabled }) => ({
        service: /[^.]+(?:\.api)?$/.exec(
          JSON.stringify(ServiceName).replaceAll(/["\]}]/g, ''),
        )?.[0],
        type: VpcEndpointType,
        detail: RouteTableIds ?? PrivateDnsEnabled,
      }),
    )
    expect(endpoints).toEqual([
      { service: 's3', type: 'Gateway', detail: ['rtb-0123456789abcdef0'] },
      { service: 'dynamodb', type: 'Gateway', detail: ['rtb-0123456789abcdef0'] },
      { service: 'sqs', type: 'Interface', detail: true },
      { service: 'ecr.api', type: 'Interface', detail: true },
    ])
    const rules = list('AWS::EC2::SecurityGroupIngress')
    expect(rules).toEqual([expect.objectContaining({ FromPort: 443, ToPort: 443 })])
  })
})

test('named security groups replace the own one, and tasks may have public addresses', () => {
  const { resources } = synthesise({
    ...network,
    securityGroups: 'sg-0123456789abcdef0',
    publicAddresses: 'on',
  })
  expect(resources('AWS::EC2::SecurityGroup').size).toBe(0)
  for (const { Properties } of resources('AWS::ECS::Service').values())
    expect(Properties['NetworkConfiguration']).toMatchObject({
      AwsvpcConfiguration: { AssignPublicIp: 'ENABLED', SecurityGroups: ['sg-0123456789abcdef0'] },
    })
})

test.each([
  [{ subnets: 'subnet-01234567' }, 'antichain:subnets: this setting needs the setting vpc'],
  [{ vpc: 'vpc-01234567' }, 'antichain:subnets: a VPC needs at least one subnet'],
  [{ vpc: 'main', subnets: 'subnet-01234567' }, 'antichain:vpc: the id of a VPC'],
  [{ ...network, endpoints: 's3' }, 'antichain:routeTables: the endpoints of s3 and dynamodb'],
  [{ ...network, routeTables: 'rtb-01234567' }, 'antichain:routeTables: only the endpoints'],
  [{ ...network, endpoints: 'ec2' }, 'antichain:endpoints.0: '],
  [
    { publicAddresses: 'off' },
    'antichain:publicAddresses: publicAddresses=off needs the setting vpc',
  ],
])('%o is refused', (settings, problem) => {
  const read = readInstallationSettings(toContext({ region: 'eu-central-1', ...settings }))
  expect(read).toMatchObject({ problems: [expect.stringContaining(problem)] })
})
