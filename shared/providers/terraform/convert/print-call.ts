import type { HclCall, HclExpression, HclPlace } from '../hcl/syntax.ts'
import { readFunctionSignature } from '../mapping/read-schema-messages.ts'
import { nameArguments } from '../mapping/function-names.ts'
import { freeShape, shapeOfType } from '../mapping/property-names.ts'
import {
  createFreeExpression,
  toElementShape,
  parenthesize,
  printPlaceholder,
  printOperand,
  type PrintedExpression,
  type PrintScope,
} from './conversion.ts'
import { printFormat } from './print-format.ts'
import { findStandardFunction, type StandardFunction } from './standard-functions.ts'
import { type PrintedAttribute, printList, printObject, quoteText } from './print-text.ts'

/** Terraform's name → Pulumi's name of a function that takes the same arguments. */
const functionNames: Readonly<Record<string, string>> = {
  base64decode: 'fromBase64',
  base64encode: 'toBase64',
  can: 'can',
  element: 'element',
  file: 'readFile',
  filebase64: 'filebase64',
  filebase64sha256: 'filebase64sha256',
  join: 'join',
  jsonencode: 'toJSON',
  length: 'length',
  lookup: 'lookup',
  nonsensitive: 'unsecret',
  one: 'singleOrNone',
  range: 'range',
  sensitive: 'secret',
  sha1: 'sha1',
  split: 'split',
  try: 'try',
}

/** Functions that convert types. The new program converts without a call. */
const implicitConversions: readonly string[] = ['tolist', 'tomap', 'tonumber', 'tobool', 'toset']

type Call = HclCall & HclPlace

/** Prints a call of a function. A function without equivalent becomes a call that fails. */
export function printCall(call: Call, scope: PrintScope): PrintedExpression {
  const { name, args, isExpanded } = call
  const [, provider, functionName] = /^provider::([^:]+)::(.+)$/.exec(name) ?? []
  if (provider !== undefined && functionName !== undefined)
    return printProviderCall(call, { provider, functionName }, scope)
  const [first] = args
  if (first !== undefined && args.length === 1 && !isExpanded) {
    if (implicitConversions.includes(name)) return printImplicitConversion(name, first, scope)
    if (name === 'tostring') return createFreeExpression(`"\${${printOperand(first, scope).text}}"`)
  }
  if (name === 'format' && !isExpanded) {
    const formatted = printFormat(args, scope)
    if (formatted !== undefined) return formatted
  }
  const newName = Object.hasOwn(functionNames, name) ? functionNames[name] : undefined
  if (newName === undefined || isExpanded || hasOtherMeaning(name, args))
    return (
      printStandardCall(call, scope) ??
      printPlaceholder(call, `the function '${name}' has no equivalent`, scope)
    )
  const printed = args.map(arg => printOperand(arg, scope))
  const text = `${newName}(${printed.map(argument => argument.text).join(', ')})`
  const keepsShape = name === 'sensitive' || name === 'nonsensitive'
  return { text, shape: (keepsShape ? printed[0]?.shape : undefined) ?? freeShape }
}

/** Prints the argument of a conversion. The returned shape says whether the value is a set. */
function printImplicitConversion(
  name: string,
  argument: HclExpression,
  scope: PrintScope,
): PrintedExpression {
  const printed = parenthesize(argument, printOperand(argument, scope))
  const { shape } = printed
  const element = toElementShape(shape)
  if (name === 'toset') return { ...printed, shape: { kind: 'set', element } }
  if (name === 'tolist' && ['set', 'free'].includes(shape.kind))
    return { ...printed, shape: { kind: 'list', element } }
  if (name === 'tomap' && shape.kind === 'free')
    return { ...printed, shape: { kind: 'map', element } }
  return printed
}

/** Reports whether the built-in function of the new program differs for these arguments. */
function hasOtherMeaning(name: string, args: readonly HclExpression[]): boolean {
  return (name === 'range' && args.length > 2) || (name === 'lookup' && args.length < 3)
}

/**
 * Prints a call of a function of the package `std`. Returns undefined if the package has no such
 * function, if the number of arguments differs, or if the new program cannot use the package.
 */
function printStandardCall(
  { name, args, isExpanded, line, column }: Call,
  scope: PrintScope,
): PrintedExpression | undefined {
  const found = scope.conversion.usesStandardPackage ? findStandardFunction(name) : undefined
  if (found === undefined) return undefined
  const { token, argumentNames, variadicName } = found
  const namedCount = argumentNames.length
  const hasFittingCount =
    variadicName === undefined
      ? args.length <= namedCount && !isExpanded
      : args.length >= namedCount && (!isExpanded || args.length === namedCount + 1)
  if (!hasFittingCount) return undefined
  if (found.difference !== undefined) {
    const problem = `the function '${name}' of the package std ${found.difference}`
    const advice = 'Check its result in the new program.'
    scope.conversion.report({ file: scope.file, line, column, problem, advice })
  }
  const printed = args.map(arg => printOperand(arg, scope).text)
  const variadicTexts = printed.slice(namedCount)
  // The expanded argument is already the list of the remaining ones.
  const variadicText = isExpanded ? variadicTexts.join('') : printList(variadicTexts)
  const items = nameTexts({ argumentNames, variadicName }, printed, variadicText)
  return { text: `invoke(${quoteText(token)}, ${printObject(items)}).result`, shape: found.shape }
}

function printProviderCall(
  call: Call,
  { provider, functionName }: { readonly provider: string; readonly functionName: string },
  scope: PrintScope,
): PrintedExpression {
  const found = scope.conversion.packages.get(provider)
  const token = found?.pkg.tokens.functions.toToken.get(functionName)
  const message = found?.pkg.schemas.functions.get(functionName)
  if (token === undefined || message === undefined || call.isExpanded)
    return printPlaceholder(call, `the function '${call.name}' has no equivalent`, scope)
  const signature = readFunctionSignature(message)
  const printed = call.args.map(arg => printOperand(arg, scope).text)
  const parameterCount = signature.parameters.length
  const isVariadic = signature.variadicParameter !== undefined
  const names = nameArguments(signature)
  const argumentNames = names.slice(0, parameterCount)
  const variadicName = isVariadic ? names[parameterCount] : undefined
  const items = nameTexts(
    { argumentNames, variadicName },
    printed,
    printList(printed.slice(parameterCount)),
  )
  return {
    text: `invoke(${quoteText(token)}, ${printObject(items)})`,
    shape: shapeOfType(signature.returnType),
  }
}

/**
 * Returns each text with the name of its argument. `variadicText` is the list with the remaining
 * arguments.
 */
function nameTexts(
  { argumentNames, variadicName }: Pick<StandardFunction, 'argumentNames' | 'variadicName'>,
  texts: readonly string[],
  variadicText: string,
): readonly PrintedAttribute[] {
  const named = argumentNames.flatMap((name, index) => {
    const text = texts[index]
    return text === undefined ? [] : [{ name, text }]
  })
  return variadicName === undefined ? named : [...named, { name: variadicName, text: variadicText }]
}
