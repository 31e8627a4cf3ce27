import { expect, test } from 'vitest'
import {
  toClassName,
  toEnumMember,
  toPythonModule,
  toPythonName,
  toPythonVersion,
} from './python-names.ts'

test.each([
  ...[['kubeletConfigKey', 'kubelet_config_key'] as const, ['podCIDR', 'pod_cidr'] as const],
  ...[['podCIDRs', 'pod_cidrs'] as const, ['podCIDRSet', 'pod_cidr_set'] as const],
  ...[['SHA256Hash', 'sha256_hash'] as const, ['s3Bucket', 's3_bucket'] as const],
  ...[['IPv4', 'i_pv4'] as const, ['proj:config', 'proj_config'] as const],
  ...[['GetPublicIPs', 'get_public_i_ps'] as const, ['2fa', '_2fa'] as const],
  ...[['from', 'from_'] as const, ['print', 'print_'] as const],
])('%s is %s in Python', (name, pythonName) => {
  expect(toPythonName(name)).toBe(pythonName)
})

test.each([
  ...[['t2.micro', 'T2_MICRO'] as const, ['*', 'ASTERISK'] as const, ['8.3', 'KIND_8_3'] as const],
  ['SystemAssigned, UserAssigned', 'SYSTEM_ASSIGNED_USER_ASSIGNED'] as const,
  ['Standard_E8as_v4+1TB_PS', 'STANDARD_E8AS_V4_1_T_B_PS'] as const,
])('the value %s of an enumeration is the member %s', (value, member) => {
  expect(toEnumMember(value, 'Kind')).toBe(member)
})

test.each([
  ...[['1.2.3', '1.2.3'] as const, ['v1.2.3-alpha.18', '1.2.3a18'] as const],
  ...[['1.2.3-rc789', '1.2.3rc789'] as const, ['1.2.3-dev.20', '1.2.3.dev20'] as const],
  ...[['1.2.3-alpha1+b-c', '1.2.3a1+b.c'] as const, ['1.0.0-night.4', '1.0.0+night.4'] as const],
])('the version %s is %s in Python', (version, pythonVersion) => {
  expect(toPythonVersion(version)).toBe(pythonVersion)
})

test('classes begin with a capital, and modules are in lower case', () => {
  expect(['get-pet', 'randomPet', 'none'].map(toClassName)).toEqual([
    'GetPet',
    'RandomPet',
    'None_',
  ])
  expect(['', 'Storage/v1-beta', 'lambda'].map(toPythonModule)).toEqual([
    ...['', 'storage/v1_beta', 'lambda_'],
  ])
})
