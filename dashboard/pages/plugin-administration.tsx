import type { ListPage } from '../api/api-views.ts'
import { PolledSection } from '../widgets/polled-section.tsx'
import { DocumentList, type NamedItems } from './document-list.tsx'

/**
 * The conditions on the stacks to which a policy pack is attached. Without conditions: all stacks.
 */
interface PolicyStacks {
  readonly projects: readonly string[]
  readonly stacks: readonly string[]
  readonly tags: Readonly<Record<string, string>>
}

/** A plugin in the store of the installation. */
interface StoredPluginView {
  readonly kind: string
  readonly name: string
  readonly version: string
  readonly os: string
  readonly arch: string
  readonly storedAtMs: number
  readonly source?: string
}

/**
 * Shows the stored plugins, the sources from which plugins may be downloaded, and the attached
 * policy packs.
 */
export function PluginAdministration() {
  return (
    <>
      <PolledSection<ListPage<StoredPluginView>>
        title="Stored plugins"
        path="/v1/plugins"
        show={({ items, next }) => (
          <>
            <DocumentList
              items={items.map(({ kind, name, version, os, arch, storedAtMs, source }) => ({
                name: `${name} ${version}`,
                facts: [
                  ...(kind === 'resource' ? [] : [kind]),
                  `${os}-${arch}`,
                  source === undefined ? 'uploaded' : `from ${source}`,
                  new Date(storedAtMs).toISOString().slice(0, 10),
                ],
              }))}
            />
            {next === undefined ? null : (
              <p className="quiet">
                These are the first ones; `antichain plugin ls --api` lists all.
              </p>
            )}
          </>
        )}
      />
      <PolledSection<NamedItems<{ readonly source: string; readonly hasCredential: boolean }>>
        title="Sources from which plugins may be downloaded"
        path="/v1/plugin-sources"
        show={({ items }) => (
          <>
            <DocumentList
              items={items.map(({ name, value: { source, hasCredential } }) => ({
                name,
                facts: [source, ...(hasCredential ? ['with a credential'] : [])],
              }))}
            />
            <p className="quiet">
              The functions of an installation on AWS download plugins from these sources. A server
              uses the plugins of its machine.
            </p>
          </>
        )}
      />
      <PolledSection<NamedItems<{ readonly archive: string; readonly stacks: PolicyStacks }>>
        title="Policy packs that are attached to stacks"
        path="/v1/policies"
        show={({ items }) => (
          <DocumentList
            items={items.map(({ name, value: { archive, stacks } }) => ({
              name,
              facts: [archive.slice(0, 12), stacksTextOf(stacks)],
            }))}
          />
        )}
      />
    </>
  )
}

function stacksTextOf({ projects, stacks, tags }: PolicyStacks): string {
  const parts = [
    ...projects.map(project => `project ${project}`),
    ...stacks,
    ...Object.entries(tags).map(([tag, value]) => `tag ${tag}=${value}`),
  ]
  return parts.length === 0 ? 'all stacks' : parts.join(', ')
}
