import type {
  FunctionSpec,
  PackageSchema,
} from '../../../shared/providers/package-schema/package-schema.ts'
import { formatDoc, formatInput, formatInterface, formatValueType } from './declaration-text.ts'
import { parseReference, requireType, toTitle } from '../package-members.ts'
import { declareName, toIdentifier } from './module-names.ts'
import type { TypeFormatter } from './type-text.ts'

/**
 * Returns the declarations of a function in both forms: the plain one returns a promise, and the
 * form `<name>Output` takes and returns outputs.
 */
export function declareFunction(
  name: string,
  spec: FunctionSpec,
  formatter: TypeFormatter,
): readonly string[] {
  const result = declareResult(name, spec, formatter)
  const inputs = spec.inputs ?? {}
  const { required = [] } = inputs
  const title = toTitle(name)
  const hasArgs = Object.keys(inputs.properties ?? {}).length > 0
  const isPositional = spec.multiArgumentInputs !== undefined
  const argsOptions = { required, formatter }
  const parametersOf = (use: 'plain' | 'input'): readonly string[] => {
    if (isPositional) return formatPositionalParameters(spec, use, formatter)
    if (!hasArgs) return []
    const type = `${title}${use === 'plain' ? 'Args' : 'OutputArgs'}`
    return [`args${required.length === 0 ? '?' : ''}: ${type}`]
  }
  const declare = (formName: string, parameters: readonly string[], returned: string) => {
    const [declared, exported] = declareName(formName)
    const opts = formName === name ? 'pulumi.InvokeOptions' : 'pulumi.InvokeOutputOptions'
    const list = [...parameters, `opts?: ${opts}`].join(', ')
    return [
      ...formatDoc(spec),
      `${exported === undefined ? 'export ' : ''}declare function ${declared}(${list}): ${returned}`,
      ...(exported === undefined ? [] : [`export { ${declared} as ${exported} }`]),
    ]
  }
  return [
    ...declare(name, parametersOf('plain'), `Promise<${result.type}>`),
    ...declare(`${name}Output`, parametersOf('input'), `pulumi.Output<${result.type}>`),
    ...(hasArgs && !isPositional
      ? [
          ...formatInterface(`${title}Args`, inputs, { ...argsOptions, use: 'plain' }),
          ...formatInterface(`${title}OutputArgs`, inputs, { ...argsOptions, use: 'input' }),
        ]
      : []),
    ...result.lines,
  ]
}

/** Returns the definitions of both forms of a function in JavaScript. */
export function defineFunction(
  name: string,
  token: string,
  schema: PackageSchema,
): readonly string[] {
  const spec = schema.functions?.[token] ?? {}
  const { multiArgumentInputs: positions, inputs } = spec
  const options = {
    ...(positions !== undefined && { positions }),
    ...(Object.keys(inputs?.properties ?? {}).length === 0 && { hasArguments: false }),
    ...(isSingleResult(schema, spec) && { isSingle: true }),
  }
  const description = `${JSON.stringify(token)}, ${JSON.stringify(options)}`
  const member = toIdentifier(name)
  return [
    `exports.${member} = runtime.createFunction(${description})`,
    `exports.${member}Output = runtime.createOutputFunction(${description})`,
  ]
}

/** Reports whether a function returns a single value instead of an object with properties. */
function isSingleResult(schema: PackageSchema, { outputs }: FunctionSpec): boolean {
  if (outputs === undefined || outputs.properties !== undefined) return false
  if (outputs.$ref?.startsWith('#/types/') !== true) return true
  return requireType(schema, parseReference(schema, outputs.$ref).token).enum !== undefined
}

function declareResult(
  name: string,
  { outputs }: FunctionSpec,
  formatter: TypeFormatter,
): { readonly type: string; readonly lines: readonly string[] } {
  if (outputs === undefined) return { type: 'void', lines: [] }
  if (outputs.properties === undefined)
    return { type: formatter.format(outputs, 'output'), lines: [] }
  const type = `${toTitle(name)}Result`
  const required = outputs.required ?? []
  return { type, lines: formatInterface(type, outputs, { use: 'output', required, formatter }) }
}

function formatPositionalParameters(
  { inputs, multiArgumentInputs: names = [] }: FunctionSpec,
  use: 'plain' | 'input',
  formatter: TypeFormatter,
): readonly string[] {
  const isRequired = (name: string): boolean => inputs?.required?.includes(name) === true
  const lastRequired = names.findLastIndex(isRequired)
  return names.map((name, index) => {
    const spec = inputs?.properties?.[name] ?? { $ref: 'pulumi.json#/Any' }
    const type =
      use === 'input'
        ? formatInput(spec, isRequired(name), formatter)
        : `${formatValueType(spec, use, formatter)}${isRequired(name) ? '' : ' | undefined'}`
    return `${declareName(name)[0]}${index > lastRequired ? '?' : ''}: ${type}`
  })
}
