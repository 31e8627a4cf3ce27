import { formatInterface, generatedNotice, indent } from './declaration-text.ts'
import { toNamespace } from './module-names.ts'
import type { RequestedType, TypeFormatter } from './type-text.ts'

/**
 * Returns the files with the named types that the formatter collected: path → lines. The files also
 * declare the types that these types use.
 */
export function declareNamedTypes(
  formatter: TypeFormatter,
): ReadonlyMap<string, readonly string[]> {
  const inputs = new Map<string, string[]>()
  const outputs = new Map<string, string[]>()
  for (
    let requested = formatter.takeRequested();
    requested.length > 0;
    requested = formatter.takeRequested()
  )
    for (const type of requested) {
      const modules = type.use === 'output' ? outputs : inputs
      const lines = modules.get(type.module) ?? []
      lines.push(...declareType(type, formatter))
      modules.set(type.module, lines)
    }
  return new Map([
    ['types/input.d.ts', formatTypeFile(inputs)],
    ['types/output.d.ts', formatTypeFile(outputs)],
    [
      'types/index.d.ts',
      [generatedNotice, "export * as input from './input'", "export * as output from './output'"],
    ],
  ])
}

function declareType(
  { name, spec, use }: RequestedType,
  formatter: TypeFormatter,
): readonly string[] {
  const { requiredInputs, requiredOutputs } = spec.language?.nodejs ?? {}
  const required = (use === 'output' ? requiredOutputs : requiredInputs) ?? spec.required ?? []
  return formatInterface(name, spec, { use, required, formatter })
}

function formatTypeFile(modules: ReadonlyMap<string, readonly string[]>): readonly string[] {
  return [
    generatedNotice,
    "import * as pulumi from '@pulumi/pulumi'",
    "import * as inputs from './input'",
    "import * as outputs from './output'",
    "import * as self from '../index'",
    ...[...modules].flatMap(([module, lines]) =>
      module === '' ? lines : [`export namespace ${toNamespace(module)} {`, ...indent(lines), '}'],
    ),
    'export {}',
  ]
}
