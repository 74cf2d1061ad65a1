package input

import (
	"os"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/headroom"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// NodePrices are those in the file of --node-prices; nil if there is none.
func NodePrices(path string) (headroom.Prices, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, exit.Unread("--node-prices", path, err, sentence.ErrNodePricesRemedy())
	}
	prices, err := headroom.ParsePrices(data)
	if err != nil {
		return nil, exit.Unread("--node-prices", path, err, sentence.ErrNodePricesRemedy())
	}
	return prices, nil
}
