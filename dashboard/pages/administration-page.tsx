import { useState } from 'react'
import { isAdministrator } from '../api/api-views.ts'
import { type AdministrationTab, administrationTabs, hrefOf } from '../routing/page-route.ts'
import { useClient } from '../session/client-context.ts'
import { EmptyNote } from '../widgets/empty-note.tsx'
import { ConfirmButton } from '../widgets/confirm-button.tsx'
import { PolledSection } from '../widgets/polled-section.tsx'
import { RouteTabs } from '../widgets/route-tabs.tsx'
import { TabContent } from '../widgets/tab-content.tsx'
import { AuditLog } from './audit-log.tsx'
import { DocumentList, type NamedItems } from './document-list.tsx'
import { HealthPage } from './health-page.tsx'
import { type ShownNotification, NotificationList } from './notification-list.tsx'
import { PluginAdministration } from './plugin-administration.tsx'
import { TokenTable } from './token-table.tsx'
import { usePageTitle } from './use-page-title.ts'

const tabTitles: Readonly<Record<AdministrationTab, string>> = {
  tokens: 'Tokens',
  audit: 'Audit log',
  health: 'Health',
  plugins: 'Plugins',
  federation: 'CI login',
  webhooks: 'Webhooks',
  notifications: 'Notifications',
}

/** Shows the settings of the whole installation to a token that may read them. */
export function AdministrationPage({ tab }: { tab: AdministrationTab }) {
  const { permissions } = useClient()
  const heading = usePageTitle('Administration')
  return (
    <>
      <div className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          Administration
        </h1>
      </div>
      {isAdministrator(permissions) ? (
        <AdministrationTabs tab={tab} />
      ) : (
        <EmptyNote title="This page needs another token">
          It shows the whole installation, so it needs a token with the role admin for all stacks.
        </EmptyNote>
      )}
    </>
  )
}

function AdministrationTabs({ tab }: { tab: AdministrationTab }) {
  return (
    <RouteTabs
      label="Parts of the administration"
      names={administrationTabs}
      titles={tabTitles}
      selected={tab}
      hrefOf={name => hrefOf({ kind: 'administration', tab: name })}
    >
      <TabContent id="tokens">
        <TokenTable />
      </TabContent>
      <TabContent id="audit">
        <AuditLog />
      </TabContent>
      <TabContent id="health">
        <HealthPage />
      </TabContent>
      <TabContent id="plugins">
        <PluginAdministration />
      </TabContent>
      <TabContent id="federation">
        <FederationRules />
      </TabContent>
      <TabContent id="webhooks">
        <Webhooks />
      </TabContent>
      <TabContent id="notifications">
        <Notifications />
      </TabContent>
    </RouteTabs>
  )
}

function FederationRules() {
  return (
    <PolledSection<
      NamedItems<{
        readonly issuer: string
        readonly claims: Readonly<Record<string, string>>
        readonly role: string
        readonly stacks?: readonly string[]
        readonly isPaused: boolean
      }>
    >
      title="Rules that admit CI jobs"
      path="/v1/federations"
      show={({ items }) => (
        <DocumentList
          items={items.map(({ name, value }) => ({
            name,
            facts: [
              value.issuer,
              Object.entries(value.claims)
                .map(([claim, pattern]) => `${claim}=${pattern}`)
                .join(' '),
              `${value.role} for ${value.stacks?.join(', ') ?? 'all stacks'}`,
              ...(value.isPaused ? ['paused'] : []),
            ],
          }))}
        />
      )}
    />
  )
}

function Webhooks() {
  return (
    <PolledSection<
      NamedItems<{
        readonly form: string
        readonly isPaused: boolean
        readonly rules: readonly { readonly on?: string; readonly stack?: string }[]
      }>
    >
      title="Webhooks"
      path="/v1/webhooks"
      show={({ items }) => (
        <DocumentList
          items={items.map(({ name, value: { form, isPaused, rules } }) => ({
            name,
            facts: [
              form,
              ...rules.map(({ on = '', stack = '' }) => `${on}: ${stack}`),
              ...(isPaused ? ['paused'] : []),
            ],
          }))}
        />
      )}
    />
  )
}

/** An undelivered notification: its receiver, its stack, and the kind of its event. */
type DeadNotification = Readonly<Record<'to' | 'stack' | 'about', string>>

function Notifications() {
  const { client } = useClient()
  const [revision, setRevision] = useState(0)
  const redrive = async (): Promise<void> => {
    await client.send('/v1/dead-notifications/redrive', {})
    setRevision(count => count + 1)
  }
  return (
    <>
      <PolledSection<{ readonly items: readonly ShownNotification[] }>
        title="Notifications of all stacks"
        path="/v1/notifications"
        show={({ items }) => <NotificationList notifications={items} />}
      />
      <PolledSection<{ readonly items: readonly DeadNotification[] }>
        title="Undelivered notifications"
        path="/v1/dead-notifications"
        revision={revision}
        show={({ items }) => (
          <>
            <DocumentList
              items={items.map(item => ({ name: item.to, facts: [item.stack, item['about']] }))}
            />
            {items.length === 0 ? null : (
              <ConfirmButton
                label="Send again…"
                title="Send the undelivered notifications again?"
                action="Send again"
                isDanger={false}
                run={redrive}
              >
                <p>
                  All of them are sent again, also those that this page does not list. Correct the
                  cause first, because each receiver gets them once more.
                </p>
              </ConfirmButton>
            )}
          </>
        )}
      />
    </>
  )
}
