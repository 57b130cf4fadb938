// Sign-in with an API key. The key is stored for this tab only, and sent in a header of every request, never in a URL.
import { useState } from 'preact/hooks'
import { keepKey, messageOf, openSession, type Session } from '../api.ts'
import icon from '../icon.svg'
import { Button, TextField } from '../ui/parts.tsx'

export function SignIn({ why, onSignIn }: { why: string | null; onSignIn: (session: Session) => void }) {
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState(why)
  const [isBusy, setBusy] = useState(false)
  const signIn = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      const session = await openSession(key.trim())
      keepKey(key.trim())
      onSignIn(session)
    } catch (error) {
      setProblem(messageOf(error))
      setBusy(false)
    }
  }
  return (
    <main class="sign-in">
      <form onSubmit={signIn}>
        <div class="brand">
          <img src={icon} alt="" />
          K-Scrape Nexus
        </div>
        <div>
          <h1>Sign in</h1>
          <p class="muted">With an API key of this service. It is stored for this tab only.</p>
        </div>
        <TextField
          label="API key"
          type="password"
          isMono
          value={key}
          onInput={setKey}
          required
          hint={
            <>
              <code>kscrape serve</code> shows one at its first start; <code>kscrape keys create</code>{' '}
              creates more.
            </>
          }
        />
        {problem && (
          <div class="problem" role="alert">
            {problem}
          </div>
        )}
        <Button type="submit" kind="primary" disabled={isBusy || key.trim() === ''}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </Button>
      </form>
    </main>
  )
}
