import { expect, test } from 'vitest'
import { endpointServices } from '../../shared/config/endpoint-services.ts'
import {
  findNetworkFaults,
  readDeployedNetwork,
  type SubnetDescription,
} from './find-network-faults.ts'

const network = { vpc: 'vpc-1', subnets: ['subnet-1'], endpoints: [] }
const createSubnet = (fields: Partial<SubnetDescription> = {}): SubnetDescription => ({
  id: 'subnet-1',
  vpc: 'vpc-1',
  defaultRoute: 'other',
  ...fields,
})
const allEndpoints = [...endpointServices.gateway, ...endpointServices.interface]

test.each([
  ['a route to a NAT gateway', createSubnet(), []],
  ['all endpoints', createSubnet({ defaultRoute: undefined }), allEndpoints],
])('a subnet with %s has no fault', (_title, subnet, endpoints) => {
  expect(findNetworkFaults({ ...network, endpoints }, [subnet])).toEqual([])
})

test.each([
  ['no route', createSubnet({ defaultRoute: undefined }), 'has no default route'],
  ['an internet gateway', createSubnet({ defaultRoute: 'internet-gateway' }), 'cannot use'],
  ['another VPC', createSubnet({ vpc: 'vpc-2' }), 'belongs to vpc-2, not to vpc-1'],
  ['another id', createSubnet({ id: 'subnet-2' }), 'does not exist in this region'],
])('a subnet with %s has a fault that names the reason', (_title, subnet, reason) => {
  const endpoints = allEndpoints.slice(1)
  const faults = findNetworkFaults({ ...network, endpoints }, [subnet])
  expect(faults).toEqual([expect.stringMatching(`^the subnet subnet-1 .*${reason}`)])
})

test('the missing endpoints are named', () => {
  const endpoints = allEndpoints.filter(name => name !== 'kms')
  const faults = findNetworkFaults({ ...network, endpoints }, [
    createSubnet({ defaultRoute: undefined }),
  ])
  expect(faults[0]).toMatch(/endpoints of kms$/)
})

test('the last value of a setting applies, and no VPC means no network', () => {
  const settings = ['vpc=vpc-1', 'subnets=subnet-1', 'subnets=subnet-2, subnet-3', 'logDays=30']
  expect(readDeployedNetwork(settings)).toEqual({
    ...network,
    subnets: ['subnet-2', 'subnet-3'],
  })
  expect(readDeployedNetwork(['logDays=30'])).toBeUndefined()
})
