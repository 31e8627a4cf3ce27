import { createError } from '../../errors/error.ts'
import { isNestedDeeper } from '../../values/nesting.ts'
import { keepDigits } from '../config/config-tree.ts'
import {
  environmentDepthMax,
  hasSecretPart,
  type EnvironmentValue,
  formatValueAsJson,
  toEnvironmentValue,
  listItemsOf,
  textOfValue,
  toPlainData,
} from './environment-value.ts'

/**
 * Creates an error whose message has the position of a built-in function in its file, and then
 * `sentence`.
 */
export type FunctionErrorOf = (sentence: string) => Error

/**
 * Calls a built-in function of environments with its evaluated argument. Throws FEATURE_MISSING for
 * any other function, and the error of `errorOf` for an argument that the function does not take.
 */
export function callEnvironmentFunction(
  name: string,
  argument: EnvironmentValue,
  errorOf: FunctionErrorOf,
): EnvironmentValue {
  const isSecret = hasSecretPart(argument)
  const requireText = (): string => {
    if (typeof argument.content === 'string') return argument.content
    throw errorOf(`\`${name}\` takes a text`)
  }
  switch (name) {
    case 'fn::secret':
      return toEnvironmentValue(toPlainData(argument), true)
    case 'fn::toJSON':
      return { isSecret, content: formatValueAsJson(argument) }
    case 'fn::fromJSON':
      return toEnvironmentValue(parseJsonText(requireText(), errorOf), isSecret)
    case 'fn::toString':
      return { isSecret, content: textOfValue(argument) }
    case 'fn::toBase64':
      return { isSecret, content: Buffer.from(requireText()).toString('base64') }
    case 'fn::fromBase64':
      return { isSecret, content: decodeBase64(requireText(), errorOf) }
    case 'fn::join':
      return { isSecret, content: joinTexts(argument, errorOf) }
    default:
      throw createError('FEATURE_MISSING', `${errorOf('').message}\`${name}\` is not supported`, {
        hint: 'Providers of Pulumi ESC need its service. Use a literal value, or `fn::secret`.',
      })
  }
}

function decodeBase64(text: string, errorOf: FunctionErrorOf): string {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) throw errorOf('`fn::fromBase64` takes a text in base64')
  return bytes.toString('utf8')
}

function joinTexts(argument: EnvironmentValue, errorOf: FunctionErrorOf): string {
  const [separator, list, ...rest] = listItemsOf(argument) ?? []
  const texts = list === undefined ? undefined : listItemsOf(list)
  if (typeof separator?.content !== 'string' || texts === undefined || rest.length > 0)
    throw errorOf('`fn::join` takes a separator and a list')
  return texts.map(textOfValue).join(separator.content)
}

function parseJsonText(text: string, errorOf: FunctionErrorOf): unknown {
  let json: unknown
  try {
    json = JSON.parse(text, keepDigits)
  } catch {
    // The message of the parser could contain a part of a secret.
    throw errorOf('`fn::fromJSON` takes a text in JSON')
  }
  if (isNestedDeeper(json, environmentDepthMax))
    throw errorOf(`\`fn::fromJSON\` takes JSON with at most ${environmentDepthMax} levels`)
  return json
}
