import { createError } from '../../shared/errors/error.ts'
import { nameOf, type Urn } from '../../shared/names/urn.ts'
import { createUnknownResourceError } from '../../shared/state/edits/find-resource.ts'
import { toPlainJson } from '../../shared/state/stack-outputs.ts'
import { readTextField } from '../../shared/state/stored-fields.ts'
import type { Json, StoredResource } from '../../shared/state/stored.ts'
import type { Handler } from '../arguments/handler.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import { containsCiphertext } from '../../shared/state/list-ciphertexts.ts'
import { openDecrypter } from '../stack/open-decrypter.ts'

/**
 * `state get`: shows the recorded state of a resource, named by its URN or by its name. Secrets are
 * shown only on request. Throws STATE_RESOURCE_UNKNOWN, STATE_URN_AMBIGUOUS.
 */
export const getResourceState: Handler = async (session, flags, [text = '']) => {
  const id = await session.requireStack()
  const state = await (await session.openEngine()).exportState(id)
  const resource = requireResource(state?.resources ?? [], text)
  // A resource without secrets needs no secrets provider.
  const mustDecrypt = flags.isSet('showSecrets') && containsCiphertext(resource)
  const decrypt = mustDecrypt ? await openDecrypter(session, id, state) : undefined
  const readProperties = (field: string): Json => toPlainJson(resource[field] ?? {}, decrypt)
  const { urn, type } = resource
  const resourceId = readTextField(resource, 'id')
  const [inputs, outputs] = [readProperties('inputs'), readProperties('outputs')]
  if (isJsonOutput(flags)) {
    const idField = resourceId === '' ? {} : { id: resourceId }
    session.print(JSON.stringify({ ...idField, inputs, outputs, type, urn }, null, 2))
    return 0
  }
  session.print(`Type: ${type}`)
  session.print(`URN:  ${urn}`)
  if (resourceId !== '') session.print(`ID:   ${resourceId}`)
  session.print(`Inputs: ${JSON.stringify(inputs, null, 2)}`)
  session.print(`Outputs: ${JSON.stringify(outputs, null, 2)}`)
  return 0
}

/** Returns the only resource whose URN or name is `text`. */
function requireResource(resources: readonly StoredResource[], text: string): StoredResource {
  const matches = resources.filter(({ urn }) => urn === text || nameOf(urn as Urn) === text)
  const [first, second] = matches
  const urns = resources.map(({ urn }) => urn)
  if (first === undefined) throw createUnknownResourceError(text, urns)
  if (second === undefined) return first
  const matchingUrns = [...new Set(matches.map(({ urn }) => urn))]
  throw createError('STATE_URN_AMBIGUOUS', `several resources have the URN or name '${text}'`, {
    details: { urns: matchingUrns },
    hint: `Use a URN: ${matchingUrns.slice(0, 5).join(', ')}`,
  })
}
