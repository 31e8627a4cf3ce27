/** Conversions of programs whose provider `example/x` has the schemas of the scripted provider. */
import type { ProviderSchemaResponse } from '../client/terraform-client.ts'
import { formatPackageParameter } from '../driver/package-arguments.ts'
import { loadTerraformPackage } from '../driver/load-package.ts'
import { createScriptedClient } from '../driver/scripted-client.fixture.ts'
import { createAttributeMessage, createSchemaMessage } from '../driver/scripted-schemas.fixture.ts'
import type { BlockTypeMessage } from '../client/schema-messages.ts'
import type { ConversionPackage } from './conversion.ts'
import {
  type ConversionTarget,
  type ConvertedProgram,
  convertTerraformProgram,
} from './convert-program.ts'
import { type ProgramFile, readTerraformProgram } from './read-program.ts'

const rule = createSchemaMessage([
  createAttributeMessage('from_port', 'o', 'number'),
  createAttributeMessage('key', 'o'),
]).block

const createBlock = (
  typeName: string,
  nesting: BlockTypeMessage['nesting'],
  maxItems = 0,
): BlockTypeMessage => ({ typeName, block: rule, nesting, minItems: 0, maxItems })

const serverSchema = createSchemaMessage(
  [
    createAttributeMessage('id', 'c'),
    createAttributeMessage('display_name', 'o'),
    createAttributeMessage('size', 'o', 'number'),
    createAttributeMessage('ip_range', 'o', ['list', 'string']),
    createAttributeMessage('zone', 'o', ['set', 'string']),
    createAttributeMessage('labels', 'o', ['map', 'string']),
    createAttributeMessage('owner', 'o', ['object', { full_name: 'string' }]),
    createAttributeMessage('api_token', 'cs'),
  ],
  [
    createBlock('rule', 'list'),
    createBlock('rate_limit', 'list', 1),
    createBlock('route', 'map'),
    createBlock('main_box', 'single'),
  ],
)

const imageSchema = createSchemaMessage([
  createAttributeMessage('label', 'r'),
  createAttributeMessage('image_id', 'c'),
])

/** Loads the package of the provider. */
async function loadExample(): Promise<ConversionPackage> {
  const base = createScriptedClient()
  const client = {
    ...base,
    async getProviderSchema(): Promise<ProviderSchemaResponse> {
      const schema = await base.getProviderSchema()
      return {
        ...schema,
        provider: createSchemaMessage([createAttributeMessage('api_url', 'o')]),
        resources: new Map([['x_server', serverSchema]]),
        dataSources: new Map([['x_image', imageSchema]]),
      }
    },
  }
  const descriptor = { name: 'x', version: '1.0.0', source: 'example/x', providerName: 'x' }
  const filter = { includes: [], excludes: [], providerName: undefined }
  const parameter = { ...filter, kind: 'remote', source: 'example/x', version: '1.0.0' } as const
  return {
    pkg: await loadTerraformPackage(client, descriptor, filter),
    parameter: formatPackageParameter(parameter),
  }
}

/** Converts the text of `main.tf`. The declaration of the package is left out of the result. */
export function convertText(
  text: string,
  { values = '', ...target }: Partial<ConversionTarget> & { readonly values?: string } = {},
): Promise<ConvertedProgram> {
  return convertFiles(
    [
      { name: 'main.tf', text },
      { name: 'terraform.tfvars', text: values },
    ],
    target,
  )
}

/** Converts files. The declaration of the package is left out of the result. */
export async function convertFiles(
  files: readonly ProgramFile[],
  { dialect = 'full', usesStandardPackage = true }: Partial<ConversionTarget> = {},
): Promise<ConvertedProgram> {
  const program = readTerraformProgram(files)
  const packages = new Map([['x', await loadExample()]])
  const converted = convertTerraformProgram(program, packages, { dialect, usesStandardPackage })
  return { ...converted, text: converted.text.replace(/^package .*?\n\}\n\n/s, '') }
}
