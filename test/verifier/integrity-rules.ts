import { createHash } from 'node:crypto'
import { field, fieldsOf, itemsOf, type Ordered, textField } from './ordered-json.ts'
import { isUrn, type Report } from './value-rules.ts'

const providerType = 'pulumi:providers:'
const unknownId = '04da6b54-80e4-46f7-96ec-b56ff0331ba9'

/** Checks what resources say of each other (state.md 6.1, the union of the strict parts). */
export function checkIntegrity(deployment: Ordered, report: Report): void {
  const manifest = field(deployment, 'manifest')
  const version = textField(manifest, 'version')
  const magic = version === '' ? '' : createHash('sha256').update(version).digest('hex')
  if (textField(manifest, 'magic') !== magic) report('manifest', 'its magic is not of its version')
  const resources = itemsOf(field(deployment, 'resources'))
  const seen = new Set<string>()
  const providers = new Set<string>()
  for (const [at, resource] of resources.entries()) {
    const where = `resources[${at}]`
    const urn = textField(resource, 'urn')
    const type = textField(resource, 'type')
    if (type.startsWith(providerType) && type !== providerType)
      providers.add(`${urn}::${textField(resource, 'id') || unknownId}`)
    const provider = textField(resource, 'provider')
    if (provider !== '') checkProvider(resource, where, { providers, report })
    for (const [what, named] of edgesOf(resource))
      if (!seen.has(named)) report(where, `its ${what} '${named}' does not stand before it`)
    seen.add(urn)
  }
  checkDuplicates(resources, report)
  checkSnippets(deployment, report)
}

function checkProvider(
  resource: Ordered,
  where: string,
  known: { readonly providers: ReadonlySet<string>; readonly report: Report },
): void {
  const reference = textField(resource, 'provider')
  const urn = reference.slice(0, reference.lastIndexOf('::'))
  const qualified = urn.split('::')[2] ?? ''
  const type = qualified.slice(qualified.lastIndexOf('$') + 1)
  if (!isUrn(urn) || !type.startsWith(providerType))
    known.report(where, `'${reference}' is not a provider reference`)
  else if (!known.providers.has(reference) && field(resource, 'pendingReplacement') !== true)
    known.report(where, `its provider '${reference}' does not stand before it`)
}

function edgesOf(resource: Ordered): readonly (readonly [what: string, urn: string])[] {
  const texts = (value: Ordered | undefined): readonly string[] =>
    itemsOf(value).filter(item => typeof item === 'string')
  const edges: (readonly [string, string])[] = []
  for (const name of ['parent', 'deletedWith']) edges.push([name, textField(resource, name)])
  for (const name of ['dependencies', 'replaceWith'])
    for (const urn of texts(field(resource, name))) edges.push([name, urn])
  for (const [key, list] of fieldsOf(field(resource, 'propertyDependencies')))
    for (const urn of texts(list)) edges.push([`dependency of '${key}'`, urn])
  return edges.filter(([, urn]) => urn !== '')
}

function checkDuplicates(resources: readonly Ordered[], report: Report): void {
  const live = new Set<string>()
  for (const [at, resource] of resources.entries()) {
    if (field(resource, 'delete') === true) continue
    const urn = textField(resource, 'urn')
    if (live.has(urn)) report(`resources[${at}]`, `'${urn}' stands twice without a mark`)
    live.add(urn)
  }
}

function checkSnippets(deployment: Ordered, report: Report): void {
  const seen = new Set<string>()
  for (const [at, snippet] of itemsOf(field(deployment, 'snippets')).entries()) {
    const uuid = textField(snippet, 'uuid')
    if (uuid === '' || seen.has(uuid))
      report(`snippets[${at}]`, 'its uuid is missing or not its own')
    seen.add(uuid)
  }
}
