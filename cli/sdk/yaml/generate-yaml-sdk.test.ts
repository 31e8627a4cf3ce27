import { expect, test } from 'vitest'
import { parse } from 'yaml'
import {
  type PackageSchema,
  packageSchemaForm,
} from '../../../shared/providers/package-schema/package-schema.ts'
import { generateYamlSdk } from './generate-yaml-sdk.ts'

const schema = packageSchemaForm.parse({ name: 'shop', version: '1.2.3', pluginDownloadURL: 'u' })
const read = (changes: Partial<PackageSchema>): unknown => {
  const file = generateYamlSdk({ ...schema, ...changes }).files.get('shop-1.2.3.yaml')
  return parse(file?.content.toString() ?? '')
}

test('the description of a package names its plugin', () => {
  const fields = { name: 'shop', version: '1.2.3', downloadUrl: 'u' }
  expect(read({})).toEqual({ packageDeclarationVersion: 1, ...fields })
})

test('the description of a package with parameters names the base plugin and the parameters', () => {
  const base = { packageDeclarationVersion: 1, name: 'base', version: '4.5.6', downloadUrl: 'u' }
  const parameters = { name: 'shop', version: '1.2.3', value: 'cA==' }
  const spec = { baseProvider: { name: 'base', version: '4.5.6' }, parameter: 'cA==' }
  expect(read({ parameterization: spec })).toEqual({ ...base, parameterization: parameters })
  expect(read({ extensionParameterization: spec })).toEqual({ ...base, extension: parameters })
})
