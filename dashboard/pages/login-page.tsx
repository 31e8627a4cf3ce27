import { type FormEvent, useState } from 'react'
import { Button, Input, Label, Text, TextField } from 'react-aria-components'
import { type ApiFailure, toFailure } from '../api/api-failure.ts'
import { checkToken } from '../session/use-login.ts'
import { FailureNote } from '../widgets/failure-note.tsx'
import { ThemeSwitch } from '../widgets/theme-switch.tsx'

/** Shows the form that takes a token, and the reason why the last session ended. */
export function LoginPage(props: {
  endReason: ApiFailure | undefined
  onLogin: (token: string) => void
}) {
  const { endReason, onLogin } = props
  const [token, setToken] = useState('')
  const [failure, setFailure] = useState<ApiFailure>()
  const [isChecking, setIsChecking] = useState(false)
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setIsChecking(true)
    try {
      await checkToken(token.trim())
      onLogin(token.trim())
    } catch (thrown) {
      setFailure(toFailure(thrown))
      setIsChecking(false)
    }
  }
  const shownFailure = failure ?? endReason
  return (
    <main className="login">
      <form className="card login-card" onSubmit={event => void submit(event)}>
        <img src="/icon.svg" alt="" width="40" height="40" />
        <h1>Log in to Antichain</h1>
        {shownFailure === undefined ? null : (
          <FailureNote
            failure={shownFailure}
            title={failure === undefined ? 'Your session has ended' : 'The login failed'}
          />
        )}
        <TextField
          className="field"
          type="password"
          value={token}
          onChange={setToken}
          isRequired
          autoFocus
        >
          <Label>Token</Label>
          <Input autoComplete="off" spellCheck="false" placeholder="act_…" />
          <Text slot="description" className="field-hint">
            Create one on the machine of the server, or with an admin token. This tab keeps it until
            you close it.
            <code>antichain token create dashboard --role read</code>
          </Text>
        </TextField>
        <Button type="submit" className="button button-primary" isDisabled={isChecking}>
          {isChecking ? 'Checking…' : 'Log in'}
        </Button>
      </form>
      <ThemeSwitch />
    </main>
  )
}
