// What is shown where a part of the dashboard can't be: its file could not be had, or it broke.
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
          <span>The service can’t be reached now, or has another version than this page.</span>
          <span class="muted">{problem}</span>
          <Button kind="primary" icon="again" onClick={() => location.reload()}>
            Load it again
          </Button>
        </Empty>
      </Card>
    )
  }
}
