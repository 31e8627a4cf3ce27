import { status } from '@grpc/grpc-js'
import {
  CreateRequest,
  DeleteRequest,
  ReadRequest,
  type ReadResponse,
  ResourceProviderService as service,
  UpdateRequest,
} from '../../../proto/gen/pulumi/provider.ts'
import { assert } from '../../errors/error.ts'
import { emptyMap, type PropertyMap } from '../../values/value.ts'
import { type Provider, ProviderError, type ReadResult } from '../provider.ts'
import { restoreAssets } from './assets.ts'
import type { Abilities } from './negotiation.ts'
import { receiving, sending } from './options.ts'
import { remarkSecrets } from '../../values/walk.ts'
import { ask, type PartialReader, received, type Session, sent } from './session.ts'
import { oldViews, statusOf } from './views.ts'

type Ask<M extends keyof Provider> = Provider[M] extends (ask: infer Q) => unknown ? Q : never

/** Marks what came back like what was sent, where the provider cannot do so itself. */
function marker(abilities: Abilities, sentMap: PropertyMap): (map: PropertyMap) => PropertyMap {
  return abilities.secrets ? map => map : map => remarkSecrets(sentMap, map)
}

/** What a preview without a call says the outputs are; undefined: the provider is to be called. */
function previewed(session: Session, abilities: Abilities, inputs: PropertyMap) {
  if (session.isUnconfigured()) return session.settings.legacyPreview ? inputs : emptyMap
  return abilities.preview && !session.settings.noPreview ? undefined : inputs
}

/** Create; in a preview only where the provider can (docs/spec/provider-protocol.md#create). */
export async function create(
  session: Session,
  asked: Ask<'create'>,
): ReturnType<Provider['create']> {
  const method = service.create
  const abilities = await session.ready()
  const { urn, name, type, inputs, timeout, preview } = asked
  assert(preview || !session.isUnconfigured(), `the provider of '${urn}' is configured`)
  const outputs = preview ? previewed(session, abilities, inputs) : undefined
  if (outputs !== undefined) return { id: '', outputs, refreshBeforeUpdate: false }
  const options = sending(abilities, { unknowns: preview })
  const properties = sent(session, method, { map: inputs, options })
  const subject = { urn, name, type, ...statusOf(asked) }
  const request = CreateRequest.create({ ...subject, properties, timeout, preview })
  const mark = marker(abilities, inputs)
  const reader: PartialReader = { unknowns: preview, outputs: mark, inputs: mark }
  const answer = await withId(session, asked, ask(session, method, { request, reader }))
  const read = received(session, method, {
    struct: answer.properties,
    options: receiving({ unknowns: preview }),
  })
  return {
    id: answer.id,
    outputs: mark(read),
    refreshBeforeUpdate: answer.refreshBeforeUpdate && session.settings.refreshBeforeUpdate,
  }
}

/**
 * What was made without an id cannot be found again, whether the call succeeded or half succeeded.
 */
async function withId<A extends { readonly id: string }>(
  session: Session,
  asked: Ask<'create'>,
  answer: Promise<A>,
): Promise<A> {
  const nameless = (cause?: unknown): ProviderError =>
    new ProviderError(
      `provider '${session.connection.name}' answered Create of '${asked.urn}' without an id`,
      { status: 'unknown', code: status.UNKNOWN, cause },
    )
  try {
    const given = await answer
    if (given.id !== '' || asked.preview) return given
  } catch (thrown) {
    if (thrown instanceof ProviderError && thrown.partial?.id === '') throw nameless(thrown)
    throw thrown
  }
  throw nameless()
}

/** Read. A resource that is not well gives `initErrors`; absent maps stay absent (8.8). */
export async function read(session: Session, asked: Ask<'read'>): ReturnType<Provider['read']> {
  const method = service.read
  const abilities = await session.ready()
  const { urn, name, type, id, inputs, outputs, timeout } = asked
  if (session.isUnconfigured()) return unconfiguredRead
  const options = sending(abilities, { unknowns: false, old: true })
  const write = (map: PropertyMap | undefined): Record<string, unknown> | undefined =>
    map && sent(session, method, { map, options })
  const request = ReadRequest.create({
    id,
    urn,
    name,
    type,
    timeout,
    inputs: write(inputs),
    properties: write(outputs),
    oldViews: oldViews(session, asked, { method, options }),
    ...statusOf(asked),
  })
  const heal = (sentMap: PropertyMap | undefined) => {
    const mark = marker(abilities, sentMap ?? emptyMap)
    return (map: PropertyMap): PropertyMap => restoreAssets(inputs ?? emptyMap, mark(map))
  }
  const reader: PartialReader = { unknowns: false, outputs: heal(outputs), inputs: heal(inputs) }
  try {
    const answer = await ask(session, method, { request, reader })
    return readOf(session, answer, reader)
  } catch (thrown) {
    if (!(thrown instanceof ProviderError) || thrown.partial === undefined) throw thrown
    const { reasons, ...rest } = thrown.partial
    return { ...rest, initErrors: reasons.length === 0 ? [thrown.message] : reasons }
  }
}

const unconfiguredRead: ReadResult = {
  id: '',
  inputs: emptyMap,
  outputs: emptyMap,
  refreshBeforeUpdate: false,
  initErrors: [],
}

function readOf(session: Session, answer: ReadResponse, reader: PartialReader): ReadResult {
  const options = receiving({ unknowns: false })
  const open = (struct: Record<string, unknown> | undefined): PropertyMap | undefined =>
    struct && received(session, service.read, { struct, options })
  const inputs = open(answer.inputs)
  const outputs = open(answer.properties)
  return {
    id: answer.id,
    inputs: inputs && reader.inputs(inputs),
    outputs: outputs && reader.outputs(outputs),
    refreshBeforeUpdate: answer.refreshBeforeUpdate && session.settings.refreshBeforeUpdate,
    initErrors: [],
  }
}

/**
 * Update; in a preview only where the provider can. What it answers replaces the old outputs whole.
 */
export async function update(
  session: Session,
  asked: Ask<'update'>,
): ReturnType<Provider['update']> {
  const method = service.update
  const abilities = await session.ready()
  const { urn, newInputs, preview } = asked
  assert(preview || !session.isUnconfigured(), `the provider of '${urn}' is configured`)
  const outputs = preview ? previewed(session, abilities, newInputs) : undefined
  if (outputs !== undefined) return { outputs, refreshBeforeUpdate: false }
  const old = sending(abilities, { unknowns: false, old: true })
  const request = UpdateRequest.create({
    id: asked.id,
    urn,
    name: asked.name,
    type: asked.type,
    oldInputs: sent(session, method, { map: asked.oldInputs, options: old }),
    olds: sent(session, method, { map: asked.oldOutputs, options: old }),
    news: sent(session, method, {
      map: newInputs,
      options: sending(abilities, { unknowns: preview }),
    }),
    timeout: asked.timeout,
    ignoreChanges: [...asked.ignoreChanges],
    preview,
    oldViews: oldViews(session, asked, { method, options: old }),
    ...statusOf(asked),
  })
  const mark = marker(abilities, newInputs)
  const reader: PartialReader = { unknowns: preview, outputs: mark, inputs: mark }
  const answer = await ask(session, method, { request, reader })
  const struct = answer.properties
  const read = received(session, method, { struct, options: receiving({ unknowns: preview }) })
  return {
    outputs: mark(read),
    refreshBeforeUpdate: answer.refreshBeforeUpdate && session.settings.refreshBeforeUpdate,
  }
}

/** Delete, never in a preview. Gone already is the provider's to call success. */
export async function remove(session: Session, asked: Ask<'delete'>): Promise<void> {
  const method = service.delete
  const abilities = await session.ready()
  const { urn, name, type, id, inputs, outputs, timeout } = asked
  assert(!session.isUnconfigured(), `the provider of '${urn}' is configured`)
  const options = sending(abilities, { unknowns: false, old: true })
  const request = DeleteRequest.create({
    id,
    urn,
    name,
    type,
    timeout,
    properties: sent(session, method, { map: outputs, options }),
    oldInputs: sent(session, method, { map: inputs, options }),
    oldViews: oldViews(session, asked, { method, options }),
    ...statusOf(asked),
  })
  await ask(session, method, { request })
}
