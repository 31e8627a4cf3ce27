import { allowsRole } from '../api/api-views.ts'
import { formatNumber } from '../format/format-count.ts'
import { useClient } from '../session/client-context.ts'
import { PolledSection } from '../widgets/polled-section.tsx'
import { PropertyList } from '../widgets/property-list.tsx'
import { DocumentList } from './document-list.tsx'
import { type ShownNotification, NotificationList } from './notification-list.tsx'

interface ShownLimit {
  readonly label: string
  readonly shared: boolean
  readonly callsPerSecond?: number
  readonly slowed: boolean
  readonly concurrency?: number
  readonly running: number
}

/** A policy pack that an administrator attached to the stack. */
interface AttachedPolicy {
  readonly name: string
  readonly archive: string
}

/** Shows the tags, policy packs, notifications and limits of provider calls of a stack. */
export function StackSettings({ path }: { path: string }) {
  const { permissions } = useClient()
  return (
    <>
      <PolledSection<{ readonly tags: Readonly<Record<string, string>> }>
        title="Tags"
        path={`${path}/tags`}
        show={({ tags }) =>
          Object.keys(tags).length === 0 ? (
            <p className="quiet">none</p>
          ) : (
            <div className="card padded">
              <PropertyList properties={tags} />
            </div>
          )
        }
      />
      <PolledSection<{ readonly items: readonly AttachedPolicy[] }>
        title="Attached policy packs"
        path={`${path}/policies`}
        show={({ items }) => (
          <DocumentList
            items={items.map(({ name, archive }) => ({ name, facts: [archive.slice(0, 12)] }))}
          />
        )}
      />
      {allowsRole(permissions, 'deploy') ? (
        <PolledSection<{ readonly items: readonly ShownNotification[] }>
          title="Notifications"
          path={`${path}/notifications`}
          show={({ items }) => <NotificationList notifications={items} />}
        />
      ) : (
        <section className="page-section">
          <h2>Notifications</h2>
          <p className="quiet">
            Their addresses can be confidential, so reading them needs a token with the role deploy.
          </p>
        </section>
      )}
      <PolledSection<{ readonly items: readonly ShownLimit[] }>
        title="Limits of provider calls in the last day"
        path={`${path}/limits`}
        show={({ items }) =>
          items.length === 0 ? (
            <p className="quiet">none</p>
          ) : (
            <div className="card padded">
              <PropertyList
                properties={Object.fromEntries(
                  items.map(limit => [limit.label, limitTextOf(limit)]),
                )}
              />
            </div>
          )
        }
      />
    </>
  )
}

function limitTextOf(limit: ShownLimit): string {
  const { callsPerSecond, slowed, concurrency, running, shared } = limit
  return [
    ...(callsPerSecond === undefined ? [] : [`${callsPerSecond} calls a second`]),
    ...(slowed ? ['slowed down, because the provider throttled calls'] : []),
    ...(concurrency === undefined
      ? []
      : [`${formatNumber(running)} of ${formatNumber(concurrency)} concurrent calls`]),
    ...(shared ? ['shared with other stacks'] : []),
  ].join(', ')
}
