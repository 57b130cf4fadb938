// Replaces a part of the dashboard that could not be loaded, or that crashed.
import { Component, type ComponentChildren } from 'preact'
import { messageOf } from '../api.ts'
import { Button, Card, Empty } from './parts.tsx'

interface BoundaryState {
  problem: string | null
}

export class Boundary extends Component<{ children: ComponentChildren }, BoundaryState> {
  override state: BoundaryState = { problem: null }

  static override getDerivedStateFromError(error: unknown): BoundaryState {
    return { problem: messageOf(error) }
  }

  override render() {
    const { problem } = this.state
    if (problem === null) return this.props.children
    return (
      <Card>
        <Empty icon="again" title="This page could not be shown">
          <span>The service cannot be reached, or it was updated since this page was loaded.</span>
          <span class="muted">{problem}</span>
          <Button kind="primary" icon="again" onClick={() => location.reload()}>
            Load it again
          </Button>
        </Empty>
      </Card>
    )
  }
}
