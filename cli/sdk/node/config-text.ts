import type {
  PackageSchema,
  PropertySpec,
} from '../../../shared/providers/package-schema/package-schema.ts'
import { formatDoc, formatValueType, generatedNotice } from './declaration-text.ts'
import { declareName, toIdentifier } from './module-names.ts'
import { describeDefault, formatJson } from './resource-text.ts'
import type { TypeFormatter } from './type-text.ts'

/** Returns the files of the module with the configuration variables: path → lines. */
export function defineVariablesModule(
  schema: PackageSchema,
  formatter: TypeFormatter,
): ReadonlyMap<string, readonly string[]> {
  const variables = Object.entries(schema.config?.variables ?? {})
  const descriptions = Object.fromEntries(
    variables.map(([name, spec]) => [
      toIdentifier(name),
      { ...(spec.type === 'string' && { isText: true }), ...describeDefault(spec) },
    ]),
  )
  const definition = `runtime.defineVariables(exports, ${JSON.stringify(schema.name)}, ${formatJson(descriptions)})`
  const declarations = variables.flatMap(([name, spec]) => [
    ...formatDoc(spec),
    ...declareVariable(name, spec, formatter),
  ])
  return new Map([
    [
      'config/index.js',
      ["'use strict'", generatedNotice, "const runtime = require('../runtime.js')", definition],
    ],
    [
      'config/index.d.ts',
      [
        generatedNotice,
        "import * as pulumi from '@pulumi/pulumi'",
        "import * as outputs from '../types/output'",
        "import * as self from '../index'",
        ...declarations,
        'export {}',
      ],
    ],
  ])
}

function declareVariable(
  name: string,
  spec: PropertySpec,
  formatter: TypeFormatter,
): readonly string[] {
  const [declared, exported] = declareName(name)
  const type = `${formatValueType(spec, 'output', formatter)}${spec.default === undefined ? ' | undefined' : ''}`
  return exported === undefined
    ? [`export declare const ${declared}: ${type}`]
    : [`declare const ${declared}: ${type}`, `export { ${declared} as ${exported} }`]
}
